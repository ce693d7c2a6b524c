import type { TempDir } from '../system/processes.ts'

export interface NewCommit {
  readonly file: string
  readonly text: string
  /** Commit it stands on; the branch's own when absent. */
  readonly parent?: string
  /** `main` when absent. */
  readonly branch?: string
}

let time = 2_000_000_000

/** Makes a commit on a branch of a bare repository without a checkout; gives its id. */
export async function commitOn(
  tempDir: TempDir,
  path: string,
  { file, text, branch = 'main', parent = `refs/heads/${branch}^0` }: NewCommit,
): Promise<string> {
  const stream = `commit refs/heads/${branch}\ncommitter Author <author@example.org> ${time++} +0000\ndata 4\npush\nfrom ${parent}\nM 100644 inline ${file}\ndata <<END\n${text}\nEND\n\n`
  await tempDir.run('git', ['fast-import', '--quiet', '--force'], { cwd: path, feed: (write) => write(stream) })
  return (await tempDir.read('git', ['rev-parse', branch], { cwd: path })).trim()
}
