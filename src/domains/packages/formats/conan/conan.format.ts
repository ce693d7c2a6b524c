import { parseAuthorization } from '../../../../core/access/viewer.ts'
import { unauthenticated } from '../../../../core/platform/errors.ts'
import { type ClientTokens, createClientTokens } from '../../registry/client-tokens.ts'
import type { CreateFormat, FormatRoute } from '../../registry/format.ts'
import { requireClient } from '../../registry/registry-access.ts'
import { type } from './conan-reference.ts'
import { searchRecipes } from './conan-search.ts'
import { conanV1Routes } from './conan-v1.routes.ts'
import { conanV2Routes } from './conan-v2.routes.ts'

/** Recipes and packages of C and C++, by both protocols of Conan (behaviour/orgs-webhooks-actions#packages). */
export const createConanFormat: CreateFormat = (contents, tools) => {
  const tokens = createClientTokens(tools, { context: 'conan registry token', lifetime: 24 * 3600 })
  return {
    type,
    errorBody: (message) => ({ message }),
    credentials: (sent) => (sent.kind === 'token' ? (tokens.read(sent.token) ?? sent) : sent),
    routes: [
      // Clients read it before they know that credentials are needed.
      {
        method: 'GET',
        access: 'open',
        path: /^\/v[12]\/ping$/,
        handle: async () => ({ status: 200, headers: { 'x-conan-server-capabilities': 'revisions' } }),
      },
      ...signInRoutes(tokens),
      {
        method: 'GET',
        access: 'read',
        path: /^\/v[12]\/conans\/search$/,
        handle: (request) => searchRecipes(contents, request),
      },
      ...conanV1Routes(contents, tools),
      ...conanV2Routes(contents, tools),
    ],
  }
}

const signInRoutes = (tokens: ClientTokens): FormatRoute[] => [
  {
    method: 'GET',
    access: 'read',
    path: /^\/v[12]\/users\/authenticate$/,
    async handle({ headers }) {
      const sent = parseAuthorization(headers)
      if (sent.kind !== 'basic') throw unauthenticated('credentials must be sent as Basic')
      return { status: 200, body: tokens.issue(sent) }
    },
  },
  {
    method: 'GET',
    access: 'read',
    path: /^\/v[12]\/users\/check_credentials$/,
    handle: async ({ viewer }) => ({ status: 200, body: requireClient(viewer).account.name }),
  },
]
