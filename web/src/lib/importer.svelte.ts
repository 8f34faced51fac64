// Brings records of games to the server, one after the other, and keeps account of what became of them.
import { ApiError, post } from './api';
import type { Imported } from './http';
import { t } from './i18n.svelte';
import { gameName, listOf } from './names';
import { path } from './paths';
import { problem } from './problem';
import { parsed, piecesOf, playersIn, type Piece } from './records';

const MOST_GAMES = 1000;
const MOST_MEGABYTES = 20;
const PATIENCE = 5000; // what the server asks for when it is asked too much

interface Source extends Piece {
  name: string; // of the file; empty for what was pasted
}
export interface Kept {
  path: string;
  label: string;
}
export interface Complaint {
  text: string;
  detail: string; // the server's own sentence, in English: it names the very action that is wrong
}

export class Importer {
  all = $state(0);
  done = $state(0);
  running = $state(false);
  waiting = $state(false); // the server is asked too much
  finished = $state(false);
  kept = $state.raw<Kept[]>([]);
  wrong = $state.raw<Complaint[]>([]);
  notes = $state.raw<string[]>([]);
  private stopped = false;

  stop(): void {
    this.stopped = true;
  }

  async files(files: Iterable<File>): Promise<void> {
    if (this.running) return;
    const chosen = [...files];
    const sources: Source[] = [];
    const trouble: string[] = [];
    let size = 0;
    for (const file of chosen) {
      size += file.size;
      if (size > MOST_MEGABYTES * 2 ** 20) {
        trouble.push(t('import.large', { name: file.name, count: MOST_MEGABYTES }));
        break;
      }
      try {
        // One file's name says nothing; among several it is needed to find the line.
        const name = chosen.length > 1 ? file.name : '';
        sources.push(...piecesOf(await file.text()).map((piece) => ({ ...piece, name })));
      } catch {
        trouble.push(t('import.unreadable', { name: file.name })); // a folder, or gone meanwhile
      }
    }
    await this.send(sources, trouble);
  }

  async text(text: string): Promise<void> {
    if (!this.running)
      await this.send(
        piecesOf(text).map((piece) => ({ ...piece, name: '' })),
        [],
      );
  }

  private async send(sources: Source[], trouble: string[]): Promise<void> {
    this.kept = [];
    this.wrong = [];
    this.done = 0;
    this.stopped = this.finished = false;
    this.notes = sources.length || trouble.length ? trouble : [t('import.empty')];
    if (sources.length > MOST_GAMES) this.note(t('import.toomany', { count: MOST_GAMES }));
    const chosen = sources.slice(0, MOST_GAMES);
    this.all = chosen.length;
    if (!this.all) return;
    this.running = true;
    try {
      for (const source of chosen) {
        if (this.stopped) {
          this.note(t('import.stopped'));
          break;
        }
        if (!(await this.sendOne(source))) break;
        this.done += 1;
      }
    } finally {
      this.running = false;
      this.finished = true;
    }
  }

  // False if there is no point in going on.
  private async sendOne(source: Source): Promise<boolean> {
    const record = parsed(source.text);
    if (record === null) {
      this.complain(source, t('import.notjson'));
      return true;
    }
    while (!this.stopped) {
      try {
        const made = await post<Imported>(path.records, record);
        const game = gameName(String(record['game']));
        const label = t('import.watch', { game, names: listOf(playersIn(record)) });
        this.kept = [...this.kept, { path: made.path, label }];
        return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 'too-much') {
          this.waiting = true;
          await new Promise((resolve) => setTimeout(resolve, PATIENCE));
          this.waiting = false;
        } else if (error.code === 'full') {
          this.note(problem(error)); // the next one would be refused, too
          return false;
        } else if (error.code === 'offline' || error.code === 'unavailable') {
          this.note(t('import.offline'));
          return false;
        } else {
          const { decision } = error.more;
          const words = decision ? t('import.move', { number: decision }) : problem(error);
          this.complain(source, words, error.message);
          return true;
        }
      }
    }
    return true;
  }

  private note(words: string): void {
    this.notes = [...this.notes, words];
  }

  private complain({ name, line }: Source, words: string, detail = ''): void {
    const text = name
      ? t('import.line.of', { name, line, text: words })
      : t('import.line', { line, text: words });
    this.wrong = [...this.wrong, { text, detail }];
  }
}
