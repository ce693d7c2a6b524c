import type { FastifyRequest } from 'fastify'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { authorizeRequester } from '../../../core/access/authorize.ts'
import {
  ANONYMOUS,
  type Authenticate,
  type Credentials,
  isPublicOnly,
  parseAuthorization,
  type SignedIn,
  type Viewer,
} from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import { signableRequest } from '../../../core/http/body/signed-body.ts'
import { clientOf, withSource } from '../../../core/http/caller.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { loadPackageGrants } from '../packages/package-grants.store.ts'
import { decidePackageMode, NO_PACKAGE_GRANTS } from '../packages/packages.policy.ts'
import type { PackageFormat } from './format.ts'

/** A refusal of a registry before its format is reached. */
export class RegistryRefusal extends Error {
  readonly status: number
  /** The value of X-Ingot-Reason. */
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, code: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'RegistryRefusal'
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export interface RegistryAccessDeps {
  readonly authenticate: Authenticate
  readonly database: Database
  /** Anonymous requests are refused. */
  readonly requireSignIn: boolean
}

export type RegistryLevel = 'open' | 'read' | 'write'

/** Wrong credentials are refused on public packages too: a client must never be served as somebody else. */
export async function identifyClient(
  { authenticate }: Pick<RegistryAccessDeps, 'authenticate'>,
  credentials: Credentials,
  request: FastifyRequest,
): Promise<Viewer> {
  if (credentials.kind === 'none') return ANONYMOUS
  try {
    const viewer = await authenticate(credentials, clientOf(request))
    return withSource(viewer, viewer, request)
  } catch (error) {
    if (isDomainError(error, 'unauthenticated'))
      throw new RegistryRefusal(401, 'Failed to authenticate user', 'wrong_credentials')
    if (isDomainError(error, 'too-many-requests'))
      throw new RegistryRefusal(429, error.message, error.code, { 'retry-after': '5' })
    throw error
  }
}

/** The credentials in the headers, as the format reads them, otherwise those in the query. */
export function credentialsOf(
  request: FastifyRequest,
  { credentials }: Pick<PackageFormat, 'credentials'>,
  rootUrl: string,
): Credentials {
  const standard = parseAuthorization(request.headers)
  const sent = credentials?.(standard, signableRequest(request, rootUrl)) ?? standard
  if (sent.kind !== 'none') return sent
  const token = new URLSearchParams(request.raw.url?.split('?', 2)[1] ?? '').get('token')
  return token === null || token === '' ? { kind: 'none' } : { kind: 'token', token, via: 'query' }
}

/**
 * The owner of a registry, for a caller with this level of access to its packages. Throws RegistryRefusal: 404 without
 * such an owner; otherwise 401 with a challenge, also for callers who have signed in, because package managers send
 * credentials only after it (behaviour/orgs-webhooks-actions#packages).
 */
export async function authorizeOwner(
  { database, requireSignIn }: RegistryAccessDeps,
  viewer: Viewer,
  { name, level }: { readonly name: string; readonly level: RegistryLevel },
): Promise<User> {
  const owner = await userQueries.findByName(database.read, name)
  if (owner === undefined) throw new RegistryRefusal(404, 'Not found.', 'not_found')
  if (level === 'open') return owner
  authorizeCaller({ requireSignIn }, viewer, level)
  if (isPublicOnly(viewer) && owner.visibility === 'private') throw new RegistryRefusal(403, 'reqToken', 'forbidden')
  const mode = await modeOfPackages(database, viewer, owner)
  if (mode < (level === 'read' ? AccessMode.read : AccessMode.write)) throw challenge()
  return owner
}

/** What the credentials must allow at the registries of all owners. Throws RegistryRefusal. */
export function authorizeCaller(
  { requireSignIn }: Pick<RegistryAccessDeps, 'requireSignIn'>,
  viewer: Viewer,
  level: Exclude<RegistryLevel, 'open'>,
): void {
  const caller = authorizeRequester(viewer, {
    requireSignIn: requireSignIn || level === 'write',
    scopes: ['package'],
    level,
  })
  if (caller.kind === 'forbidden' && caller.reason !== 'scope') throw new RegistryRefusal(403, 'reqToken', 'forbidden')
  if (caller.kind !== 'allowed') throw challenge()
}

/** The rights of a viewer to the packages of an owner; none to those of a private one with a public-only token. */
export async function modeOfPackages(database: Database, viewer: Viewer, owner: User): Promise<AccessMode> {
  if (isPublicOnly(viewer) && owner.visibility === 'private') return AccessMode.none
  const grants =
    viewer.kind === 'user' && owner.kind === 'organization'
      ? await loadPackageGrants(database.read, viewer.account.id, owner.id)
      : NO_PACKAGE_GRANTS
  return decidePackageMode(viewer, owner, grants)
}

/** Used by routes at which clients only check their credentials. Throws RegistryRefusal. */
export function requireClient(viewer: Viewer): SignedIn {
  if (viewer.kind !== 'user') throw challenge()
  return viewer
}

const challenge = (): RegistryRefusal =>
  new RegistryRefusal(401, 'reqPackageAccess', 'package_access_required', {
    'www-authenticate': 'Basic realm="Ingot Package API"',
  })
