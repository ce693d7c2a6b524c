import type { FormatRoute } from '../format.ts'
import type { SigningKeys } from './signing-keys.service.ts'

/** The public OpenPGP key of the owner. DELETE replaces the key: the next index is signed by a new one. */
export function keyRoutes(signingKeys: SigningKeys): FormatRoute[] {
  const path = /^\/repository\.key$/
  return [
    {
      method: 'GET',
      access: 'read',
      path,
      handle: async ({ owner }) => ({
        status: 200,
        type: 'application/pgp-keys',
        body: (await signingKeys.get(owner, 'openpgp')).publicKey,
      }),
    },
    {
      method: 'DELETE',
      access: 'write',
      path,
      async handle({ owner }) {
        await signingKeys.delete(owner, 'openpgp')
        return { status: 204 }
      },
    },
  ]
}
