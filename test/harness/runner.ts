import { gzipSync } from 'node:zlib'
import {
  create,
  type DescMethod,
  fromBinary,
  fromJsonString,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf'
import { PingService } from '../../src/domains/automation/actions/protocol/proto/ping_pb.js'
import { RunnerService } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'

export const rpc = { ...RunnerService.method, ...PingService.method }

interface RpcOptions {
  readonly encoding?: 'proto' | 'json'
  readonly headers?: Record<string, string>
  readonly gzip?: boolean
}

/** An answer of the server that is not a message. */
export class RpcError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Calls a method as runners do. Throws RpcError for any other answer than a message. */
export async function callRpc<M extends DescMethod>(
  url: string,
  method: M,
  message: MessageInitShape<M['input']>,
  { encoding = 'proto', headers = {}, gzip = false }: RpcOptions = {},
): Promise<MessageShape<M['output']>> {
  const input = create(method.input, message as never)
  const bytes = encoding === 'proto' ? toBinary(method.input, input) : Buffer.from(toJsonString(method.input, input))
  const response = await fetch(`${url}/api/actions/${method.parent.typeName}/${method.name}`, {
    method: 'POST',
    headers: {
      'content-type': `application/${encoding}`,
      'connect-protocol-version': '1',
      ...(gzip && { 'content-encoding': 'gzip' }),
      ...headers,
    },
    body: gzip ? gzipSync(bytes) : bytes,
  })
  const body = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) {
    const { code = '', message: text = '' } = body.length === 0 ? {} : (JSON.parse(body.toString()) as RpcError)
    throw new RpcError(response.status, code, text)
  }
  return (
    encoding === 'proto' ? fromBinary(method.output, body) : fromJsonString(method.output, body.toString() || '{}')
  ) as MessageShape<M['output']>
}

export type TestRunner = ReturnType<typeof runnerOf>

/** A runner with its credentials. */
export function runnerOf(url: string, { uuid, token }: { readonly uuid: string; readonly token: string }) {
  const headers = { 'x-runner-uuid': uuid, 'x-runner-token': token }
  return {
    uuid,
    token,
    call: <M extends DescMethod>(method: M, message: MessageInitShape<M['input']>, options: RpcOptions = {}) =>
      callRpc(url, method, message, { ...options, headers: { ...headers, ...options.headers } }),
  }
}

/** Registers a runner with a registration token. */
export async function registerRunner(
  url: string,
  token: string,
  facts: {
    readonly name?: string
    readonly labels?: string[]
    readonly ephemeral?: boolean
    readonly capabilities?: string[]
  } = {},
): Promise<TestRunner> {
  const { runner } = await callRpc(url, rpc.register, { name: 'runner', labels: ['host'], ...facts, token })
  return runnerOf(url, runner!)
}
