import { describe, expect, it } from 'vitest'
import { MovedError } from '../platform/errors.ts'
import { asId, type RepoId, type UserId } from '../platform/crypto/ids.ts'
import { AccessMode, NO_ACCESS, type RepoAccess, type Unit, unitSet } from './repo-access.ts'
import {
  authorizeRepo,
  authorizeRequester,
  type RequesterNeed,
  isPublicRepo,
  type RepoNeed,
  type RepoState,
} from './authorize.ts'
import { ALL_SCOPES, type ScopeSet, type Account, ANONYMOUS, type Viewer, viewerOfAccount } from './viewer.ts'

const ACCOUNT: Account = {
  id: asId<UserId>(7),
  name: 'ann',
  kind: 'individual',
  visibility: 'public',
  isAdmin: false,
  isRestricted: false,
  isActive: true,
  isLoginProhibited: false,
  mustChangePassword: false,
}
const caller = (account: Partial<Account> = {}, scopes: Partial<ScopeSet> = {}): Viewer => ({
  ...viewerOfAccount({ ...ACCOUNT, ...account }),
  scopes: { ...ALL_SCOPES, ...scopes },
})
const READS_ISSUES: Partial<ScopeSet> = { levels: new Map([['issue', 'read']]) }
const USER = caller()
const PUBLIC_ONLY = caller({}, { publicOnly: true })

describe('authorizeRequester', () => {
  const WRITE_REPOS = { scopes: ['repository'], level: 'write' } as const
  it.each<[string, Viewer, RequesterNeed, string]>([
    ['anonymous', ANONYMOUS, {}, 'allowed'],
    ['anonymous, whatever the scopes', ANONYMOUS, WRITE_REPOS, 'allowed'],
    ['anonymous where sign-in is required', ANONYMOUS, { requireSignIn: true }, 'signIn'],
    ['a user', USER, { requireSignIn: true, ...WRITE_REPOS }, 'allowed'],
    ['an inactive account', caller({ isActive: false }), {}, 'account-prohibited'],
    ['a prohibited account', caller({ isLoginProhibited: true }), {}, 'account-prohibited'],
    ['an old password', caller({ mustChangePassword: true }), {}, 'password-change-required'],
    [
      'prohibited before password',
      caller({ isActive: false, mustChangePassword: true }),
      WRITE_REPOS,
      'account-prohibited',
    ],
    [
      'password before scope',
      caller({ mustChangePassword: true }, READS_ISSUES),
      WRITE_REPOS,
      'password-change-required',
    ],
    ['no scope', caller({}, READS_ISSUES), WRITE_REPOS, 'scope write:repository'],
    ['no scope, none needed', caller({}, READS_ISSUES), {}, 'allowed'],
    ['the read scope', caller({}, READS_ISSUES), { scopes: ['issue'] }, 'allowed'],
    [
      'the read scope for a write',
      caller({}, READS_ISSUES),
      { scopes: ['issue'], level: 'write' },
      'scope write:issue',
    ],
  ])('%s', (_, viewer, need, expected) => {
    const decision = authorizeRequester(viewer, need)
    const reason = decision.kind === 'forbidden' ? decision.reason : decision.kind
    expect('missing' in decision ? `${reason} ${decision.missing}` : reason).toBe(expected)
  })
})

interface Facts {
  readonly mode?: keyof typeof AccessMode
  readonly code?: keyof typeof AccessMode
  readonly without?: Unit
  readonly is?: 'private' | 'limited' | 'archived' | 'mirror'
}

function repoOf({ without, is }: Facts): RepoState {
  const units = (['repo.code', 'repo.issues'] as const).filter((unit) => unit !== without)
  return {
    id: asId<RepoId>(3),
    isPrivate: is === 'private',
    isArchived: is === 'archived',
    isMirror: is === 'mirror',
    units: unitSet(units),
    owner: { id: asId<UserId>(1), kind: 'individual', visibility: is === 'limited' ? 'limited' : 'public' },
  }
}

function accessOf({ mode = 'read', code = mode, without }: Facts): RepoAccess {
  const units = new Map<Unit, AccessMode>([
    ['repo.code', AccessMode[code]],
    ['repo.issues', AccessMode[mode]],
  ])
  if (without) units.delete(without)
  return { mode: AccessMode[mode], units }
}

function decide(viewer: Viewer, facts: Facts, need: RepoNeed): string {
  const decision = authorizeRepo(viewer, { kind: 'found', repo: repoOf(facts), access: accessOf(facts) }, need)
  return decision.kind === 'forbidden' ? decision.reason : decision.kind
}

describe('authorize', () => {
  const READ = { level: 'read', unit: 'repo.code' } as const
  const WRITE = { level: 'write', unit: 'repo.code' } as const
  const PUSH = { ...READ, archived: 'refuse', mirror: 'refuse' } as const
  const EDIT = { ...WRITE, signIn: true, archived: 'refuse-before-sign-in', mirror: 'refuse' } as const
  const LAX = { adminWithoutUnit: true } as const
  const CODE_OFF = { without: 'repo.code' } as const

  it.each<[string, Viewer, Facts, RepoNeed, string]>([
    // levels
    ['a reader reads', USER, {}, READ, 'allowed'],
    ['a reader does not write', USER, {}, WRITE, 'level'],
    ['a writer writes', USER, { mode: 'write' }, WRITE, 'allowed'],
    ['a writer of the unit alone writes it', USER, { mode: 'none', code: 'write' }, WRITE, 'allowed'],
    ['a writer of the unit alone does not administrate', USER, { code: 'write' }, { level: 'admin' }, 'level'],
    ['a reader of another unit alone', USER, { code: 'none' }, READ, 'unit'],
    ['a writer is no administrator', USER, { mode: 'write' }, { level: 'admin' }, 'level'],
    ['an administrator is no owner', USER, { mode: 'admin' }, { level: 'owner' }, 'level'],
    ['an owner is', USER, { mode: 'owner' }, { level: 'owner' }, 'allowed'],
    ['read without a unit is of the repository', USER, { mode: 'none', code: 'read' }, { level: 'read' }, 'level'],
    ['see ignores the unit', USER, { ...CODE_OFF }, { level: 'see', unit: 'repo.code' }, 'allowed'],
    // look-up
    ['no access at all', USER, { mode: 'none' }, { level: 'see' }, 'hidden'],
    ['no access, known by the look-up', USER, { mode: 'none' }, { level: 'known' }, 'allowed'],
    ['hidden before sign-in', ANONYMOUS, { mode: 'none' }, EDIT, 'hidden'],
    ['hidden before archived', USER, { mode: 'none', is: 'archived' }, EDIT, 'hidden'],
    ['hidden before public-only', PUBLIC_ONLY, { mode: 'none', is: 'private' }, READ, 'hidden'],
    // units that are off
    ['a unit that is off', USER, { ...CODE_OFF, mode: 'write' }, READ, 'unit-off'],
    ['a unit that is off, to its owner', USER, { ...CODE_OFF, mode: 'owner' }, READ, 'unit-off'],
    ['the same in the API', USER, { ...CODE_OFF, mode: 'owner' }, { ...READ, ...LAX }, 'allowed'],
    ['the same in the API, to a writer', USER, { ...CODE_OFF, mode: 'write' }, { ...READ, ...LAX }, 'unit-off'],
    // sign-in
    ['anonymous reads', ANONYMOUS, {}, READ, 'allowed'],
    ['anonymous where sign-in is needed', ANONYMOUS, {}, { ...READ, signIn: true }, 'signIn'],
    ['sign-in before the level', ANONYMOUS, {}, { ...WRITE, signIn: true }, 'signIn'],
    ['archived first, before sign-in', ANONYMOUS, { is: 'archived' }, EDIT, 'archived'],
    ['a mirror first, before sign-in', ANONYMOUS, { is: 'mirror' }, EDIT, 'mirror'],
    ['sign-in before archived', ANONYMOUS, { is: 'archived' }, { ...PUSH, signIn: true }, 'signIn'],
    // public-only tokens
    ['public-only, a public repository', PUBLIC_ONLY, {}, READ, 'allowed'],
    ['public-only, a private one', PUBLIC_ONLY, { is: 'private' }, READ, 'public-only'],
    ['public-only, one of a limited owner', PUBLIC_ONLY, { is: 'limited' }, { level: 'see' }, 'public-only'],
    ['public-only before the unit', PUBLIC_ONLY, { is: 'private', ...CODE_OFF }, READ, 'public-only'],
    ['public-only before the level', PUBLIC_ONLY, { is: 'private' }, WRITE, 'public-only'],
    // archived repositories and mirrors
    ['archived is read', USER, { is: 'archived' }, READ, 'allowed'],
    ['archived refuses a push', USER, { is: 'archived', mode: 'owner' }, PUSH, 'archived'],
    ['a mirror refuses a push', USER, { is: 'mirror', mode: 'owner' }, PUSH, 'mirror'],
    ['a mirror where it does not matter', USER, { is: 'mirror' }, READ, 'allowed'],
    ['the level before archived', USER, { is: 'archived' }, { ...WRITE, archived: 'refuse' }, 'level'],
    ['archived first, before the level', USER, { is: 'archived' }, EDIT, 'archived'],
  ])('%s', (...[, viewer, facts, need, expected]) => {
    expect(decide(viewer, facts, need)).toBe(expected)
  })

  it('passes on what the look-up returned', () => {
    const error = new MovedError('repo', 'a/b', 'a/c')
    expect(authorizeRepo(USER, { kind: 'missing' }, READ)).toEqual({ kind: 'hidden' })
    expect(authorizeRepo(ANONYMOUS, { kind: 'moved', error }, EDIT)).toEqual({ kind: 'moved', error })
    const found = { repo: repoOf({}), access: accessOf({}) }
    expect(authorizeRepo(USER, { kind: 'found', ...found }, READ)).toEqual({ kind: 'allowed', ...found })
    expect(authorizeRepo(USER, { kind: 'found', repo: found.repo, access: NO_ACCESS }, READ)).toEqual({
      kind: 'hidden',
    })
  })
})

it.each([
  [{}, true],
  [{ is: 'private' }, false],
  [{ is: 'limited' }, false],
  [{ is: 'archived' }, true],
] as const)('isPublicRepo(%o) is %s', (facts, expected) => {
  expect(isPublicRepo(repoOf(facts))).toBe(expected)
})
