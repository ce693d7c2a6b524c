import type { GitCommand } from '../command.ts'

export interface ListedFile {
  /** 100644, 100755 or 120000. */
  readonly mode: string
  readonly oid: string
  /** Bytes. */
  readonly size: number
  readonly path: string
}

const DEADLINE = 60_000

/** Lists every file of a tree-ish with its size by one process, without submodules. */
export async function* listFiles(
  command: GitCommand,
  treeish: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedFile, void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of command.stream(['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', treeish], {
    deadline: DEADLINE,
    ...(signal && { signal }),
  })) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let nul = data.indexOf(0); nul !== -1; nul = data.indexOf(0, at)) {
      const line = data.toString('utf8', at, nul)
      at = nul + 1
      const found = /^(\d+) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line)
      if (found) yield { mode: found[1]!, oid: found[2]!, size: Number(found[3]), path: found[4]! }
    }
    rest = data.subarray(at)
  }
}
