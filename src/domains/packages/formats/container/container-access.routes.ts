import type { FastifyRequest } from 'fastify'
import { type Credentials, parseAuthorization, type Viewer } from '../../../../core/access/viewer.ts'
import type { User } from '../../../accounts/index.ts'
import type { ClientTokens } from '../../registry/client-tokens.ts'
import {
  authorizeCaller,
  authorizeOwner,
  identifyClient,
  type RegistryAccessDeps,
  type RegistryLevel,
  RegistryRefusal,
} from '../../registry/registry-access.ts'
import { ContainerRefusal, unknownImage } from './container-refusal.ts'

export interface ContainerAccessDeps extends RegistryAccessDeps {
  readonly tokens: ClientTokens
  rootUrl(): string
}

/**
 * The requester. Without credentials the answer is a challenge, also for public images, because clients get a token,
 * if need be an anonymous one, only after it (distribution specification, docker token authentication).
 */
export async function identify(deps: ContainerAccessDeps, request: FastifyRequest): Promise<Viewer> {
  const sent = parseAuthorization(request.headers)
  if (sent.kind === 'none') throw challenge(deps)
  const own = sent.kind === 'token' ? deps.tokens.read(sent.token) : undefined
  try {
    return await identifyClient(deps, own ?? sent, request)
  } catch (error) {
    throw error instanceof RegistryRefusal && error.status === 401 ? challenge(deps, error.message) : error
  }
}

/** The owner of an image. Throws ContainerRefusal. */
export async function authorizeImages(
  deps: ContainerAccessDeps,
  viewer: Viewer,
  { name, level }: { readonly name: string; readonly level: RegistryLevel },
): Promise<User> {
  try {
    return await authorizeOwner(deps, viewer, { name, level })
  } catch (error) {
    throw refusalFor(deps, viewer, error)
  }
}

/** Throws ContainerRefusal if the credentials do not allow to read images at all. */
export function authorizeCatalog(deps: ContainerAccessDeps, viewer: Viewer): void {
  try {
    authorizeCaller(deps, viewer, 'read')
  } catch (error) {
    throw refusalFor(deps, viewer, error)
  }
}

function refusalFor(deps: ContainerAccessDeps, viewer: Viewer, error: unknown): unknown {
  if (!(error instanceof RegistryRefusal)) return error
  if (error.status === 404) return unknownImage()
  if (viewer.kind === 'anonymous') return challenge(deps)
  return new ContainerRefusal(403, 'DENIED', 'requested access to the resource is denied')
}

/** The credentials of a request for a token; anonymous clients get one too. */
export async function identifyForToken(
  deps: ContainerAccessDeps,
  request: FastifyRequest,
): Promise<Extract<Credentials, { kind: 'basic' }> | undefined> {
  const sent = parseAuthorization(request.headers)
  if (sent.kind === 'none') return undefined
  if (sent.kind === 'basic') {
    await identify(deps, request)
    return sent
  }
  throw challenge(deps, 'credentials must be sent as Basic')
}

const challenge = ({ rootUrl }: Pick<ContainerAccessDeps, 'rootUrl'>, message = 'authentication required') =>
  new ContainerRefusal(401, 'UNAUTHORIZED', message, {
    headers: { 'www-authenticate': `Bearer realm="${rootUrl()}/v2/token",service="container_registry",scope="*"` },
  })
