import { describe, expect, expectTypeOf, it } from 'vitest'
import { ANONYMOUS, type Viewer } from '../../access/viewer.ts'
import { forbidden, locked, notFound } from '../../platform/errors.ts'
import { type Guard, nested, recheckGuard, runGuard } from './guard.ts'

interface RepoAccess {
  readonly repo: { readonly name: string; readonly isPrivate: boolean; readonly isArchived: boolean }
}

const USER = { kind: 'user', scopes: { publicOnly: false } } as unknown as Viewer
const PUBLIC_ONLY = { kind: 'user', scopes: { publicOnly: true } } as unknown as Viewer

/** Records which steps run; each step can be made to fail. */
function guards(fails: ReadonlySet<string> = new Set(), outerOptions: Partial<Guard<RepoAccess>> = {}) {
  const ran: string[] = []
  const step = (name: string, error: (reason: string) => Error): void => {
    ran.push(name)
    if (fails.has(name)) throw error(name)
  }
  const outer: Guard<RepoAccess> = {
    kind: 'repo',
    describe: 'read',
    needsUser: false,
    resolve({ params }) {
      step('find repo', notFound)
      return { repo: { name: params['repo']!, isPrivate: false, isArchived: false } }
    },
    requireOpen: () => step('repo open', () => locked('archived')),
    privacy: () => (ran.push('repo privacy'), fails.has('repo privacy') ? 'repo' : undefined),
    decide: () => step('may read', () => forbidden('no')),
    recheck: async () => step('recheck repo', notFound),
    ...outerOptions,
  }
  const issue = nested(outer, {
    describe: 'read the issue',
    resolve({ repo }, { params }) {
      step('find issue', notFound)
      return { issue: { index: Number(params['index']), of: repo.name } }
    },
    requireOpen: () => step('issue open', () => locked('locked')),
    privacy: () => (ran.push('issue privacy'), fails.has('issue privacy') ? 'issue' : undefined),
    decide: ({ repo, issue: { of } }) => step(`may comment in ${of === repo.name}`, () => forbidden('no')),
    recheck: async () => step('recheck issue', notFound),
  })
  return { outer, issue, ran }
}

const at = (viewer: Viewer) => ({ viewer, params: { repo: 'r', index: '3' } })

describe('a guard on top of another', () => {
  it('returns what both find, and runs every check of the outer one first', async () => {
    const { issue, ran } = guards()
    const access = await runGuard(issue, at(USER))
    expectTypeOf(access.issue).toEqualTypeOf<{ index: number; of: string }>()
    expect(access).toEqual({
      repo: { name: 'r', isPrivate: false, isArchived: false },
      issue: { index: 3, of: 'r' },
    })
    expect(ran).toEqual(['find repo', 'repo open', 'may read', 'find issue', 'issue open', 'may comment in true'])
    expect(issue).toMatchObject({ kind: 'repo', describe: 'read the issue', needsUser: false })
  })

  it.each(['find repo', 'repo open', 'may read'])('never looks for the inner object after: %s fails', async (name) => {
    const { issue, ran } = guards(new Set([name]))
    await expect(runGuard(issue, at(USER))).rejects.toThrow()
    expect(ran.at(-1)).toBe(name)
  })

  it('requires sign-in where the outer one does', async () => {
    const first = guards(new Set(), { needsUser: true })
    await expect(runGuard(first.issue, at(ANONYMOUS))).rejects.toMatchObject({ kind: 'unauthenticated' })
    expect(first.ran).toEqual([])
    const later = guards(new Set(), { needsUser: true, hideBeforeAuth: true })
    await expect(runGuard(later.issue, at(ANONYMOUS))).rejects.toMatchObject({ kind: 'unauthenticated' })
    expect(later.ran).toEqual(['find repo', 'repo open'])
  })

  it('applies the limit of public-only tokens to both', async () => {
    for (const name of ['repo privacy', 'issue privacy']) {
      const { issue, ran } = guards(new Set([name]))
      await expect(runGuard(issue, at(PUBLIC_ONLY))).rejects.toMatchObject({ kind: 'forbidden' })
      expect(ran.at(-1)).toBe(name)
    }
  })

  it('rechecks both, and stacks', async () => {
    const { issue, ran } = guards()
    const comment = nested(issue, {
      resolve: ({ issue: { index } }) => ({ comment: { id: index * 10 } }),
      recheck: async ({ comment: { id } }) => void ran.push(`recheck comment ${id}`),
    })
    const access = await runGuard(comment, at(USER))
    expect(access).toMatchObject({ repo: { name: 'r' }, issue: { index: 3 }, comment: { id: 30 } })
    expect(comment.describe).toBe('read the issue')
    ran.length = 0
    await recheckGuard(comment, access)
    expect(ran).toEqual(['recheck repo', 'recheck issue', 'recheck comment 30'])
  })

  it('leaves the outer one as it was', async () => {
    const { outer, ran } = guards()
    expect(await runGuard(outer, at(USER))).not.toHaveProperty('issue')
    expect(ran).toEqual(['find repo', 'repo open', 'may read'])
  })
})
