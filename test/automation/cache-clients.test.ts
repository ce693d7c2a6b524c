import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DefaultArtifactClient } from '@actions/artifact'
import { restoreCache, saveCache } from '@actions/cache'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { Run } from '../../src/domains/automation/index.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { startJob } from '../harness/artifacts.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'

describeOnBoth('the clients of actions/cache and actions/upload-artifact', (kind) => {
  let server: TestServer
  let run: Run
  let folder = ''

  beforeAll(async () => {
    server = await startServer({ on: kind })
    const ann = await server.world.user('ann')
    const repo = await server.world.repo({ owner: ann, name: 'r' })
    run = (await createActionsFactory(server.app).run(repo.id)).run
    folder = await mkdtemp(join(tmpdir(), 'ingot-clients-'))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  afterAll(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  /** The variables that a runner gives to the steps of a job. */
  async function beginJob(): Promise<void> {
    // The clients write what they do to the log of the step.
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const { token } = await startJob(server, run)
    for (const [name, value] of Object.entries({
      ACTIONS_CACHE_URL: `${server.url}/`,
      ACTIONS_RESULTS_URL: server.url,
      ACTIONS_RUNTIME_TOKEN: token,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_WORKSPACE: folder,
      RUNNER_TEMP: folder,
    }))
      vi.stubEnv(name, value)
  }

  it.each(['v1', 'v2'])('save and restore caches by %s of the protocol', async (version) => {
    const file = join(folder, `${version}.txt`)
    await writeFile(file, `text of ${version}`)
    await beginJob()
    vi.stubEnv('ACTIONS_CACHE_SERVICE_V2', version === 'v2' ? 'true' : '')
    expect(await restoreCache([file], `${version}-linux-1`)).toBeUndefined()
    expect(await saveCache([file], `${version}-linux-1`)).toBeGreaterThan(0)
    await rm(file)
    expect(await restoreCache([file], `${version}-linux-2`, [`${version}-linux-`])).toBe(`${version}-linux-1`)
    expect(await readFile(file, 'utf8')).toBe(`text of ${version}`)
    expect(await saveCache([file], `${version}-linux-1`)).toBe(-1)
  })

  it('upload, list and download artifacts', async () => {
    const file = join(folder, 'report.txt')
    await writeFile(file, 'a report')
    await beginJob()
    const client = new DefaultArtifactClient()
    const uploaded = await client.uploadArtifact('report', [file], folder)
    const { artifact } = await client.getArtifact('report')
    expect([artifact.id, artifact.size]).toEqual([uploaded.id, uploaded.size])
    const { downloadPath } = await client.downloadArtifact(uploaded.id!, { path: join(folder, 'downloaded') })
    expect(await readFile(join(downloadPath!, 'report.txt'), 'utf8')).toBe('a report')
    expect(await client.deleteArtifact('report')).toEqual({ id: uploaded.id })
  })
})
