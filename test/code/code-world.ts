import { afterAll, beforeAll } from 'vitest'
import type { GitRepo } from '../../src/core/git/index.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { oracle, SMALL } from '../core/git/fixture.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

export { oracle, SMALL }

export interface CodeRepo {
  readonly repo: Repo
  readonly git: GitRepo
  /** The path below /api/v1. */
  readonly path: string
  /** The object id that git resolves a revision to. */
  oid(revision: string): string
}

export interface CodeRepoOptions {
  readonly name: string
  readonly format?: 'sha1' | 'sha256'
  /** A fast-import stream; without one, the repository is empty. */
  readonly history?: string
  readonly isPrivate?: boolean
}

/** A repository with a history written by git, and matching rows. */
export async function codeRepo(
  server: TestServer,
  owner: Person,
  { name, format = 'sha1', history, isPrivate = false }: CodeRepoOptions,
): Promise<CodeRepo> {
  const repo = await server.world.repo({ owner, name, objectFormat: format, isPrivate, defaultBranch: 'main' })
  const git = server.app.git.open(repo)
  if (history !== undefined) {
    oracle(git.path, ['fast-import', '--quiet', '--date-format=raw-permissive'], history)
    await server.app.pushes.reconcile(repo.id)
  }
  return {
    repo,
    git,
    path: `/repos/${owner.name}/${name}`,
    oid: (revision) => oracle(git.path, ['rev-parse', revision]),
  }
}

export interface CodeWorld {
  readonly server: TestServer
  readonly ann: Person
  /** The public repository `code` of ann, with the branches and tags of SMALL. */
  readonly code: CodeRepo
}

/** A server with one repository, for all tests of the calling suite. */
export function useCodeWorld(format: 'sha1' | 'sha256', ready: (world: CodeWorld) => void): void {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
    const ann = await server.world.user('ann')
    ready({ server, ann, code: await codeRepo(server, ann, { name: 'code', format, history: SMALL }) })
  })
  afterAll(() => server.close())
}
