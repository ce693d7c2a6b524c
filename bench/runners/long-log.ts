import { create, toBinary } from '@bufbuild/protobuf'
import { UpdateLogRequestSchema } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { rpc, type TestRunner } from '../../test/harness/runner.ts'

/** Bytes of a request: as runners send what a fast command printed in a second. */
const REQUEST_BYTES = 7 * 1024 * 1024

/** Sends numbered lines in requests of 7 MB; returns how many the server has then. */
export async function sendLongLog(runner: TestRunner, taskId: bigint, lines: number): Promise<number> {
  const rowAt = (i: number) => ({ time: { seconds: BigInt(1_800_000_000 + i) }, content: textOfLine(i) })
  const rowBytes = toBinary(UpdateLogRequestSchema, create(UpdateLogRequestSchema, { rows: [rowAt(0)] })).length
  const perRequest = Math.floor(REQUEST_BYTES / rowBytes)
  let stored = 0
  while (stored < lines) {
    const size = Math.min(perRequest, lines - stored)
    const rows = Array.from({ length: size }, (_, i) => rowAt(stored + i))
    const noMore = stored + size === lines
    const { ackIndex } = await runner.call(rpc.updateLog, { taskId, index: BigInt(stored), rows, noMore })
    if (Number(ackIndex) <= stored) break
    stored = Number(ackIndex)
  }
  return stored
}

export const textOfLine = (i: number): string => `${i} ${'a line as a compiler prints it, '.repeat(3)}`
