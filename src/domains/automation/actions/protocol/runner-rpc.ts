import type { Logger } from '../../../../core/platform/logger.ts'
import type { Registration } from '../runners/registration.service.ts'
import type { RunnerLogin } from '../runners/runner-login.ts'
import type { Runner } from '../runners/runner.store.ts'
import { PingService } from './proto/ping_pb.js'
import { type RegisterRequest, RunnerService, RunnerStatus } from './proto/runner_pb.js'
import { serveRpc } from './rpc.routes.ts'

export interface RunnerRpcDeps {
  readonly log: Logger
  readonly login: RunnerLogin
  readonly registration: Registration
}

/** Bytes of a message of a client that has not been authenticated. */
const SMALL = 1024 * 1024

/** The methods that runners call, by `<service>/<method>` (behaviour/actions#runner-protocol). */
export function createRunnerRpc({ log, login, registration }: RunnerRpcDeps) {
  return new Map([
    ...serveRpc(PingService, { ping: async ({ read }) => ({ data: `Hello, ${(await read(SMALL)).data}!` }) }, log),
    ...serveRpc(
      RunnerService,
      {
        async register({ read }) {
          const message = await read(SMALL)
          const { runner, token } = await registration.register(message.token, {
            name: message.name,
            version: message.version,
            labels: labelsOf(message),
            capabilities: message.capabilities,
            isEphemeral: message.ephemeral,
          })
          return { runner: { ...presentRunner(runner), token } }
        },
        async declare({ request, read }) {
          const { version, labels, capabilities } = await read(SMALL)
          const { id } = await login.authenticate(request)
          return { runner: presentRunner(await registration.declare(id, { version, labels, capabilities })) }
        },
      },
      log,
    ),
  ])
}

const labelsOf = ({ labels, agentLabels, customLabels }: RegisterRequest): readonly string[] =>
  labels.length > 0 ? labels : [...agentLabels, ...customLabels]

const presentRunner = ({ id, uuid, name, version, labels, isEphemeral }: Runner) => ({
  id: BigInt(id),
  uuid,
  name,
  version,
  status: RunnerStatus.IDLE,
  labels: [...labels],
  ephemeral: isEphemeral,
})
