import type { TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { commitStream, type FileState } from '../core/git/diff/diff-fixture.ts'
import { oracle } from '../core/git/fixture.ts'
import { git, tempDir } from '../core/git/wire/client.ts'

interface BranchCommit {
  readonly branch: string
  /** A branch of this list; undefined for an unrelated history. */
  readonly from?: string
  readonly files: Record<string, FileState>
}

/** Pushes branches of one commit each as `person`, replacing those of the same names; returns their ids by name. */
export async function pushBranches(
  { url }: TestServer,
  person: Person,
  repo: string,
  commits: readonly BranchCommit[],
): Promise<Readonly<Record<string, string>>> {
  const folder = tempDir()
  const remote = `${url.replace('//', `//${person.name}:${encodeURIComponent(PASSWORD)}@`)}/${repo}.git`
  try {
    await git(folder.path, ['init', '-q', '--bare'])
    oracle(folder.path, ['fast-import', '--quiet'], commitStream(commits))
    await git(folder.path, ['push', '-q', '--force', remote, 'refs/heads/*:refs/heads/*'])
    const refs = await git(folder.path, ['for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads'])
    return Object.fromEntries(refs.trim().split('\n').map((line) => line.split(' '))) // prettier-ignore
  } finally {
    folder.remove()
  }
}
