import type { FastifyInstance, FastifyReply } from 'fastify'
import { badRequest } from '../../../../core/platform/errors.ts'
import { answering } from '../results/results-answer.routes.ts'
import { queryOf, requireTask } from '../results/results-request.routes.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'
import { ID_TOKENS } from './id-token.policy.ts'
import type { IdTokens } from './id-tokens.service.ts'

interface IdTokenDeps {
  readonly idTokens: IdTokens
  readonly tokens: Pick<TaskTokens, 'findTask'>
}

const CLAIMS = `
  iss sub aud exp iat nbf jti environment repository repository_id repository_owner repository_owner_id
  repository_visibility ref ref_type sha base_ref head_ref event_name actor actor_id workflow workflow_ref workflow_sha
  job_workflow_ref job_workflow_sha run_id run_number run_attempt runner_environment`
const MAX_AUDIENCE = 255

/**
 * Routes at which jobs get ID tokens, and at which other services get the keys to verify them
 * (behaviour/actions#id-tokens).
 */
export function registerIdTokens(http: FastifyInstance, { idTokens, tokens }: IdTokenDeps): void {
  http.get(
    `${ID_TOKENS}/token`,
    answering(async (request) => {
      const audience = queryOf(request).get('audience') ?? ''
      if (audience.length > MAX_AUDIENCE) throw badRequest(`[audience]: at most ${MAX_AUDIENCE} characters`)
      const { id } = await requireTask(tokens, request)
      const value = await idTokens.issue(id, audience)
      return { count: value.length, value }
    }),
  )
  http.get(`${ID_TOKENS}/.well-known/openid-configuration`, (_, reply) => {
    const issuer = idTokens.issuer()
    return sendPublic(reply, {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      subject_types_supported: ['public'],
      response_types_supported: ['id_token'],
      scopes_supported: ['openid'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: CLAIMS.trim().split(/\s+/),
    })
  })
  http.get(`${ID_TOKENS}/jwks`, async (_, reply) => sendPublic(reply, { keys: await idTokens.listPublicKeys() }))
}

const sendPublic = (reply: FastifyReply, body: object): FastifyReply =>
  reply
    .header('cache-control', 'public, max-age=300')
    .type('application/json')
    .send(Buffer.from(JSON.stringify(body)))
