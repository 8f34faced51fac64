import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Importer } from '../src/lib/importer.svelte';

const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
const good = () => answer(201, { id: 'x', path: '/g/x' });
const bad = (code: string, status: number) => answer(status, { code, text: 'action 3 is not legal' });
const RECORD = '{"game":"chess","seats":["Ann","Ben"]}';
const fetched = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('importing', () => {
  it('says which move is against the rules, in the language of the reader', async () => {
    fetched.mockImplementationOnce(async () => answer(400, { code: 'record', text: 'no', decision: 7 }));
    const importer = new Importer();
    await importer.text(RECORD);
    expect(importer.wrong[0]!.text).toBe('Line 1: Move 7 isn’t allowed by the rules.');
  });

  it('keeps what is right, and says which line is not', async () => {
    fetched.mockImplementationOnce(async () => good()).mockImplementationOnce(async () => bad('record', 400));
    const importer = new Importer();
    await importer.text(`${RECORD}\nnonsense\n${RECORD}`);
    expect(importer.kept).toEqual([{ path: '/g/x', label: 'Watch chess: Ann and Ben' }]);
    expect(importer.wrong.map(({ text }) => /\d/.exec(text)?.[0])).toEqual(['2', '3']);
    // In the reader's language; the server's sentence only behind it.
    expect(importer.wrong[1]!.text).not.toContain('action 3');
    expect(importer.wrong[1]!.detail).toBe('action 3 is not legal');
    expect([importer.done, importer.running, importer.finished]).toEqual([3, false, true]);
  });

  it('waits when the server is asked too much', async () => {
    fetched
      .mockImplementationOnce(async () => bad('too-much', 429))
      .mockImplementationOnce(async () => good());
    const importer = new Importer();
    const work = importer.text(RECORD);
    await vi.advanceTimersByTimeAsync(1);
    expect(importer.waiting).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    await work;
    expect(importer.kept.length).toBe(1);
  });

  it('ends when the server keeps no more', async () => {
    fetched.mockImplementation(async () => bad('full', 409));
    const importer = new Importer();
    await importer.text(`${RECORD}\n${RECORD}`);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect([importer.notes.length, importer.kept.length, importer.finished]).toEqual([1, 0, true]);
  });

  it('ends when the server is away', async () => {
    fetched.mockRejectedValue(new TypeError('no network'));
    const importer = new Importer();
    await importer.text(`${RECORD}\n${RECORD}`);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect([importer.notes.length, importer.kept.length, importer.finished]).toEqual([1, 0, true]);
  });

  it('has something to say about nothing', async () => {
    const importer = new Importer();
    await importer.text('  \n');
    expect([importer.notes.length, importer.finished]).toEqual([1, false]);
  });

  it('names files only where there are several', async () => {
    fetched.mockImplementation(async () => good());
    const importer = new Importer();
    await importer.files([new File(['no'], 'a.json'), new File([RECORD], 'b.json')]);
    expect(importer.wrong[0]!.text).toContain('a.json');
    await importer.files([new File(['no'], 'a.json')]);
    expect(importer.wrong[0]!.text).not.toContain('a.json');
  });
});
