import type { TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'

interface PushTarget {
  readonly repo?: string
  /** The branch to push to. */
  readonly to?: string
}

/** Clones a repository as `person`, commits these messages on its default branch, pushes them; returns the ids. */
export async function pushCommits(
  { url }: TestServer,
  person: Person,
  messages: readonly string[],
  { repo = 'ann/desk', to = 'main' }: PushTarget = {},
): Promise<string[]> {
  const folder = tempDir()
  const login = `${person.name}:${encodeURIComponent(PASSWORD)}`
  try {
    await git(folder.path, ['clone', '-q', `${url.replace('//', `//${login}@`)}/${repo}.git`, '.'])
    const oids: string[] = []
    for (const message of messages) {
      await git(folder.path, ['commit', '-q', '--allow-empty', '-m', message])
      oids.push((await git(folder.path, ['rev-parse', 'HEAD'])).trim())
    }
    await git(folder.path, ['push', '-q', 'origin', `HEAD:${to}`])
    return oids
  } finally {
    folder.remove()
  }
}
