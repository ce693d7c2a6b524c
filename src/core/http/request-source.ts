import type { SignedIn, Viewer } from '../access/viewer.ts'
import {
  boundedUserAgent,
  type RequestClient,
  type RequestCredential,
  type RequestSource,
} from '../platform/request-source.ts'

/** What is needed of a request. */
interface Sent {
  readonly ip: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export const clientOf = ({ ip, headers }: Sent): RequestClient => ({
  address: ip,
  userAgent: boundedUserAgent([headers['user-agent']].flat()[0]),
})

/** What is recorded of a request whose caller has this credential. */
export const sourceOf = (request: Sent, credential: RequestCredential): RequestSource => ({
  ...clientOf(request),
  credential,
})

/** `viewer` with the source of its request; `caller` is who sent it, an administrator for another account with sudo. */
export function withSource(viewer: Viewer, caller: Viewer, request: Sent): Viewer {
  if (viewer.kind === 'anonymous' || caller.kind === 'anonymous') return viewer
  const source = sourceOf(request, credentialOf(caller))
  if (viewer.account.id === caller.account.id) return { ...viewer, source }
  return { ...viewer, source: { ...source, sudoBy: { id: caller.account.id, name: caller.account.name } } }
}

/** The credential of an account that signed in, with the id of its row. */
export function credentialOf({ method, tokenId, deployKeyId, keyId, applicationId }: SignedIn): RequestCredential {
  if (tokenId !== undefined) return { kind: 'access-token', id: tokenId }
  if (applicationId !== undefined) return { kind: 'oauth2-token', id: applicationId }
  if (deployKeyId !== undefined) return { kind: 'deploy-key', id: deployKeyId }
  switch (method) {
    case 'password':
    case 'reverse-proxy':
      return { kind: method, id: 0 }
    case 'ssh-key':
    case 'http-signature':
      return keyId === undefined ? { kind: 'ssh-certificate', id: 0 } : { kind: method, id: keyId }
    default:
      return { kind: 'oauth2-token', id: 0 }
  }
}
