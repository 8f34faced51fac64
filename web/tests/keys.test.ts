import { describe, expect, it } from 'vitest';
import { keyed, namesOf } from '../src/table/keys';

describe('a key', () => {
  it('means what is printed on it', () => {
    expect(namesOf({ key: 'T', code: 'KeyT' })).toEqual(['t']);
    expect(namesOf({ key: 'ArrowLeft', code: 'ArrowLeft' })).toEqual(['arrowleft']);
    expect(namesOf({ key: ' ', code: 'Space' })).toEqual([' ']);
  });
  it('or what its place means, where another letter is printed on it', () => {
    expect(namesOf({ key: 'ㅅ', code: 'KeyT' })).toEqual(['ㅅ', 't']); // Korean
    expect(namesOf({ key: '&', code: 'Digit1' })).toEqual(['&', '1']); // AZERTY
    expect(namesOf({ key: 'End', code: 'Numpad1' })).toEqual(['end', '1']);
    expect(namesOf({ key: 'Process', code: 'KeyS' })).toEqual(['process', 's']); // an input method
  });
  it('does the first thing that is known', () => {
    const known = { a: 'by its label', q: 'by its place', '1': 'one' };
    expect(keyed({ key: 'a', code: 'KeyQ' }, known)).toBe('by its label');
    expect(keyed({ key: 'ㅂ', code: 'KeyQ' }, known)).toBe('by its place');
    expect(keyed({ key: '&', code: 'Digit1' }, known)).toBe('one');
    expect(keyed({ key: 'z', code: 'KeyZ' }, known)).toBeNull();
    expect(keyed({ key: 'F1', code: 'F1' }, known)).toBeNull();
  });
});
