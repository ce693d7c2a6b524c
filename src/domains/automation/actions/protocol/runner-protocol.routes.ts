import type { FastifyInstance } from 'fastify'
import { sendFailure } from './rpc-messages.routes.ts'
import type { createRunnerRpc, RunnerRpcDeps } from './runner-rpc.ts'

const PATH = '/api/actions/:service/:method'

/** The addresses of the runner protocol, `/api/actions/<service>/<method>` (behaviour/actions#runner-protocol). */
export function registerRunnerProtocol(http: FastifyInstance, deps: RunnerRpcDeps): void {
  let methods: Promise<ReturnType<typeof createRunnerRpc>> | undefined
  // NOTE: loaded with the first request, because the messages take 60 ms of a start.
  const load = async () => (await import('./runner-rpc.ts')).createRunnerRpc(deps)

  http.post<{ Params: { service: string; method: string } }>(PATH, async (request, reply) => {
    const { service, method } = request.params
    const answer = (await (methods ??= load())).get(`${service}/${method}`)
    if (answer !== undefined) return answer(request, reply)
    return sendFailure(reply, 404, { code: 'unimplemented', message: `unknown method ${method}` })
  })
  http.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: PATH,
    handler: async (_, reply) => reply.code(405).header('allow', 'POST').send(),
  })
}
