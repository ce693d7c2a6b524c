import type { GitRepo } from '../../../src/git/index.ts'
import type { Repo } from '../../../src/domain/repos/index.ts'
import { oracle, script, SMALL } from '../../git/fixture.ts'
import type { TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

export { oracle, script, SMALL }

export interface CodeRepo {
  readonly repo: Repo
  readonly git: GitRepo
  /** Below /api/v1. */
  readonly path: string
  /** What git says of a revision. */
  oid(revision: string): string
}

export interface CodeRepoOptions {
  readonly name: string
  readonly format?: 'sha1' | 'sha256'
  /** A fast-import stream; none leaves the repository empty. */
  readonly history?: string
  readonly isPrivate?: boolean
}

/** A repository with a history that git itself wrote, and rows that agree with it. */
export async function codeRepo(server: TestServer, owner: Person, { name, format = 'sha1', history, isPrivate = false }: CodeRepoOptions): Promise<CodeRepo> {
  const repo = await server.world.repo({ owner, name, objectFormat: format, isPrivate, defaultBranch: 'main' })
  const git = server.app.git.open(repo)
  if (history !== undefined) {
    oracle(git.path, ['fast-import', '--quiet', '--date-format=raw-permissive'], history)
    await server.app.gitDoors.pushes.reconcile(repo.id)
  }
  return { repo, git, path: `/repos/${owner.name}/${name}`, oid: (revision) => oracle(git.path, ['rev-parse', revision]) }
}
