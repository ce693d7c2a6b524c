import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  FetchTaskRequestSchema,
  FetchTaskResponseSchema,
} from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import type { TestRunner } from '../../test/harness/runner.ts'

const POLL_MS = 2_000

/**
 * Runners without work poll every two seconds for that long, spread over the two seconds, each by one connection that
 * stays open, as runners do. `began` is called after the first polls. Returns the number of later ones.
 */
export async function pollIdly(
  url: string,
  runners: readonly TestRunner[],
  { seconds, began }: { readonly seconds: number; readonly began: () => void },
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: runners.length })
  const versions = await Promise.all(runners.map((runner) => poll({ url, agent, runner }, 0n)))
  began()
  let polls = 0
  const end = performance.now() + seconds * 1000
  await Promise.all(
    runners.map(async (runner, i) => {
      let next = performance.now() + (POLL_MS * i) / runners.length
      for (; next < end; next += POLL_MS) {
        await sleep(Math.max(0, next - performance.now()))
        versions[i] = await poll({ url, agent, runner }, versions[i]!)
        polls++
      }
    }),
  )
  agent.destroy()
  return polls
}

interface Poll {
  readonly url: string
  readonly agent: Agent
  readonly runner: TestRunner
}

/** NOTE: not by fetch, whose CPU time would be more than that of the server. */
async function poll({ url, agent, runner }: Poll, tasksVersion: bigint): Promise<bigint> {
  const body = toBinary(FetchTaskRequestSchema, create(FetchTaskRequestSchema, { tasksVersion }))
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const headers = {
    'content-type': 'application/proto',
    'connect-protocol-version': '1',
    'content-length': body.length,
    'x-runner-uuid': runner.uuid,
    'x-runner-token': runner.token,
  }
  const path = `${url}/api/actions/runner.v1.RunnerService/FetchTask`
  const sent = request(path, { method: 'POST', agent, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.once('end', () => {
      if (response.statusCode === 200) resolve(Buffer.concat(chunks))
      else reject(new Error(`a poll was answered with ${response.statusCode}`))
    })
  })
  sent.once('error', reject)
  sent.end(body)
  const answer = fromBinary(FetchTaskResponseSchema, await promise)
  if (answer.task !== undefined) throw new Error('a runner that is to be idle got a task')
  return answer.tasksVersion
}
