import type { PathIndex } from './path-index.ts'

/** Which commits change which of several paths, from an index: the paths by commit instead of the commits by path. */
export class EntryChanges {
  readonly #index: PathIndex
  /** By position: the number of its last change, counted from 1; 0 for none. */
  readonly #last: Uint32Array
  /** By number of a change: the one before of the same commit. */
  readonly #before: number[] = [0]
  readonly #names: string[] = ['']
  readonly #marks: number[] = [0]

  /** `count` of the commits in the graph; `paths` by the name that `visit` gets. */
  constructor(index: PathIndex, count: number, paths: Iterable<readonly [name: string, path: Buffer]>) {
    this.#index = index
    this.#last = new Uint32Array(count)
    for (const [name, path] of paths) {
      index.visit(path, (position, mark) => {
        this.#before.push(this.#last[position]!)
        this.#names.push(name)
        this.#marks.push(mark)
        this.#last[position] = this.#names.length - 1
      })
    }
  }

  /** False when only the trees tell. */
  isCovered(position: number): boolean {
    return this.#index.isCovered(position)
  }

  /** Calls `visit` with each path that a covered commit does not have as its first parent. */
  visit(position: number, visit: (name: string, mark: number) => void): void {
    for (let at = this.#last[position] ?? 0; at !== 0; at = this.#before[at]!) visit(this.#names[at]!, this.#marks[at]!)
  }
}
