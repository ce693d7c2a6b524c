import { expect, it } from 'vitest'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { ANONYMOUS, type Viewer } from '../../../core/access/viewer.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { decidePackageMode, NO_PACKAGE_GRANTS } from './packages.policy.ts'

const owner = (visibility: 'public' | 'limited' | 'private', kind: 'individual' | 'organization' = 'organization') => ({
  id: asId<never>(1),
  kind,
  visibility,
})
const viewer = (account: object = {}, more: object = {}) =>
  ({ kind: 'user', account: { id: 2, isAdmin: false, isRestricted: false, ...account }, ...more }) as unknown as Viewer
const { none, read, write, admin, owner: all } = AccessMode
const inTeam = (mode: AccessMode, packages: AccessMode) => ({ isOrgMember: true, teams: [{ mode, packages }] })

it.each([
  ['anyone reads those of public owners', ANONYMOUS, owner('public'), NO_PACKAGE_GRANTS, read],
  ['anonymous callers do not read those of limited owners', ANONYMOUS, owner('limited'), NO_PACKAGE_GRANTS, none],
  ['users read those of limited owners', viewer(), owner('limited'), NO_PACKAGE_GRANTS, read],
  ['restricted users do not', viewer({ isRestricted: true }), owner('limited'), NO_PACKAGE_GRANTS, none],
  ['strangers read none of private owners', viewer(), owner('private', 'individual'), NO_PACKAGE_GRANTS, none],
  [
    'members read those of a private organization without the unit',
    viewer(),
    owner('private'),
    inTeam(none, none),
    read,
  ],
  ['the unit of a team allows writing', viewer(), owner('public'), inTeam(none, write), write],
  ['teams with the permission admin may do all', viewer(), owner('private'), inTeam(admin, none), all],
  ['the owner may do all', viewer({ id: 1 }), owner('private', 'individual'), NO_PACKAGE_GRANTS, all],
  ['site administrators may do all', viewer({ isAdmin: true }), owner('private'), NO_PACKAGE_GRANTS, all],
  [
    'tokens for chosen repositories reach none',
    viewer({ id: 1 }, { onlyRepos: new Set([5]) }),
    owner('public', 'individual'),
    NO_PACKAGE_GRANTS,
    none,
  ],
] as const)('%s', (...[, who, of, grants, mode]) => {
  expect(decidePackageMode(who, of, grants)).toBe(mode)
})
