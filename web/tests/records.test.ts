import { describe, expect, it } from 'vitest';
import { parsed, piecesOf, playersIn } from '../src/lib/records';

describe('records', () => {
  it('are found line by line, with the numbers that an editor shows', () => {
    expect(piecesOf('{"a":1}\n\n  {"b":2}\r\n')).toEqual([
      { line: 1, text: '{"a":1}' },
      { line: 3, text: '{"b":2}' },
    ]);
    expect(piecesOf('\ufeff{"a":1}')).toEqual([{ line: 1, text: '{"a":1}' }]);
    expect(piecesOf(' \n\n')).toEqual([]);
  });
  it('may be one that is spread over lines', () => {
    expect(piecesOf('\n{\n "a": 1\n}\n')).toEqual([{ line: 2, text: '{\n "a": 1\n}' }]);
    expect(piecesOf('{\n "a": \n}').length).toBe(3); // no record in any way: every line is complained about
  });
  it('are objects', () => {
    expect(parsed('{"a":1}')).toEqual({ a: 1 });
    for (const text of ['', '[]', 'null', '5', '"x"', '{']) expect(parsed(text)).toBeNull();
  });
  it('name their players, if they do', () => {
    expect(playersIn({ seats: ['Ann', 'Ben'] })).toEqual(['Ann', 'Ben']);
    expect(playersIn({ seats: ['Ann', 5] })).toEqual(['Ann']);
    expect(playersIn({})).toEqual([]);
  });
});
