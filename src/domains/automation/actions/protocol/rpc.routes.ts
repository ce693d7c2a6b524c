import {
  create,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../../../../core/platform/logger.ts'
import { toRpcFailure } from './rpc-errors.ts'
import { type Encoding, encodingOf, readMessage, sendFailure, sendMessage } from './rpc-messages.routes.ts'

/** A request of one method. `read` decodes its body. */
interface RpcCall<Method extends DescMethodUnary> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly encoding: Encoding
  /** Throws invalid-argument. */
  read(limit: number): Promise<MessageShape<Method['input']>>
}

type Methods<Service extends DescService> = {
  readonly [Name in keyof Service['method']]?: (
    call: RpcCall<Extract<Service['method'][Name], DescMethodUnary>>,
  ) => Promise<MessageInitShape<Service['method'][Name]['output']>>
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Serves the unary methods of a service by the Connect protocol (behaviour/actions#runner-protocol): the answers of
 * `POST <service>/<method>`, by the name of the method.
 */
export function serveRpc<Service extends DescService>(
  service: Service,
  methods: Methods<Service>,
  log: Logger,
): ReadonlyMap<string, Handler> {
  return new Map(
    service.methods.flatMap(({ name, localName, input, output }) => {
      const answer = methods[localName as keyof Methods<Service>] as
        ((call: object) => Promise<Record<string, unknown>>) | undefined
      if (answer === undefined) return []
      const handle: Handler = async (request, reply) => {
        const encoding = encodingOf(request)
        if (encoding === undefined)
          return reply.code(415).header('accept-post', 'application/json, application/proto').send()
        try {
          const read = (limit: number) => readMessage(request, { input, encoding, limit })
          const message = create(output, await answer({ request, reply, encoding, read }))
          return await sendMessage(reply, { output, encoding, message })
        } catch (error) {
          const { status, body, isExpected } = toRpcFailure(error)
          if (!isExpected) log.error({ request: request.id, err: error, rpc: name }, 'request of a runner failed')
          return sendFailure(reply, status, body)
        }
      }
      return [[`${service.typeName}/${name}`, handle]] as const
    }),
  )
}
