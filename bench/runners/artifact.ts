import { join } from 'node:path'
import { rpc, type TestRunner } from '../../test/harness/runner.ts'
import { chunksOf, costOf, expectStatus, MIB, sendChunks } from '../load/large-bodies.ts'
import { startBare } from '../load/yardsticks.ts'
import type { Run } from '../run.ts'
import { memoryOf } from '../system/process-tree.ts'

/** Size of the blocks into which GitHub's client divides a file. */
const BLOCK_MIB = 8
const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService'
const NAME = 'large'

interface ArtifactCosts {
  /** ms of CPU time. */
  readonly up: number
  readonly down: number
  /** Those of a bare server that writes the same bytes to a file and sends them. */
  readonly copyIn: number
  readonly copyOut: number
  /** MB above that before. */
  readonly memory: number
}

/** Uploads an artifact in blocks, as a step of the next waiting job of the runner, and downloads it. */
export async function measureArtifact(run: Run, runner: TestRunner, mebibytes: number): Promise<ArtifactCosts> {
  const { own, tempDir, target } = run
  const { task } = await runner.call(rpc.fetchTask, {})
  const call = callsOf(target.url, String((task!.context as Record<string, unknown>)['gitea_runtime_token']))
  const bare = await startBare(tempDir, 'copy-server.ts', [join(tempDir.dir, 'bench-artifact')])
  const pid = own!.server.child.pid!
  const before = memoryOf(pid).now
  const copyIn = await costOf([bare.pid], () => sendChunks(bare.url, 'PUT', mebibytes))
  const up = await costOf(own!.pids, async () => {
    const { signedUploadUrl } = await call('CreateArtifact', { name: NAME, version: 4 })
    await putBlocks(signedUploadUrl!, mebibytes)
    await call('FinalizeArtifact', { name: NAME, size: String(mebibytes * MIB) })
  })
  const copyOut = await costOf([bare.pid], () => expectStatus(200, bare.url, {}))
  const down = await costOf(own!.pids, async () => {
    const { signedUrl } = await call('GetSignedArtifactURL', { name: NAME })
    await expectStatus(200, signedUrl!, {})
  })
  return { up, down, copyIn, copyOut, memory: Math.max(0, memoryOf(pid).now - before) }
}

/** Calls methods of the service of artifacts by the token of a job, which names run and job. */
function callsOf(url: string, token: string) {
  const { RunID: run, JobID: job } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
    readonly RunID: number
    readonly JobID: number
  }
  return async (method: string, members: object): Promise<Readonly<Record<string, string | undefined>>> => {
    const answer = await fetch(`${url}${SERVICE}/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        workflow_run_backend_id: String(run),
        workflow_job_run_backend_id: String(job),
        ...members,
      }),
    })
    if (answer.status !== 200) throw new Error(`${method} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
}

async function putBlocks(url: string, mebibytes: number): Promise<void> {
  const names: string[] = []
  let block: Buffer[] = []
  const send = async (): Promise<void> => {
    const name = Buffer.from(`block ${String(names.length).padStart(6, '0')}`).toString('base64')
    names.push(name)
    const body = Buffer.concat(block)
    block = []
    await expectStatus(201, `${url}&comp=block&blockid=${encodeURIComponent(name)}`, { method: 'PUT', body })
  }
  for (const chunk of chunksOf(mebibytes)) if (block.push(chunk) === BLOCK_MIB) await send()
  if (block.length > 0) await send()
  const list = names.map((name) => `<Latest>${name}</Latest>`).join('')
  await expectStatus(201, `${url}&comp=blocklist`, { method: 'PUT', body: `<BlockList>${list}</BlockList>` })
}
