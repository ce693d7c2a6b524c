import { clientNetwork } from '../platform/http/client-network.ts'
import type { Viewer } from './viewer.ts'

/**
 * Whose work something is, where callers share what the server can compute: the account, or the network of an anonymous
 * caller.
 */
export const callerKey = (viewer: Viewer, address: string): string =>
  viewer.kind === 'user' ? `account ${viewer.account.id}` : `network ${clientNetwork(address)}`
