/** What a file becomes: its text or bytes, undefined for none; with a mode for others than plain files. */
export type FileState = string | Buffer | undefined | { readonly mode: string; readonly content: string }

/** Lines from 1 on, of which some have another text. */
export const numbered = (count: number, changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, index) => `${changed[index + 1] ?? index + 1}\n`).join('')

/**
 * A stream for fast-import: each commit is a branch of its own, on top of the branch `from`. A submodule's content is
 * an id. Paths may contain any character but NUL.
 */
export function commitStream(
  commits: readonly { readonly branch: string; readonly from?: string; readonly files: Record<string, FileState> }[],
): Buffer {
  const parts = commits.flatMap(({ branch, from, files }, index) => [
    `commit refs/heads/${branch}\ncommitter Cy <cy@example.com> ${1_700_000_000 + index * 60} +0000\ndata 2\nc\n`,
    from === undefined ? '' : `from refs/heads/${from}\n`,
    ...Object.entries(files).flatMap(([path, state]) => fileLines(path, state)),
    '\n',
  ])
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

function fileLines(path: string, state: FileState): (string | Buffer)[] {
  const name = `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
  if (state === undefined) return [`D ${name}\n`]
  const isPlain = typeof state === 'string' || Buffer.isBuffer(state)
  const { mode, content } = isPlain ? { mode: '100644', content: state } : state
  if (mode === '160000') return [`M ${mode} ${content.toString()} ${name}\n`]
  return [`M ${mode} inline ${name}\ndata ${Buffer.byteLength(content)}\n`, content, '\n']
}
