import { expect, it, onTestFinished } from 'vitest'
import { openTempDir } from '../../bench/system/processes.ts'
import { startOwn } from '../../bench/system/target.ts'
import { join } from 'node:path'

it('starts the server of the bench with one process, whose inspector can be started, and with two workers', async () => {
  const tempDir = openTempDir()
  onTestFinished(() => tempDir.close())
  const [one, two] = await Promise.all(
    [1, 2].map((workers) => startOwn(tempDir, { dataDir: join(tempDir.dir, `data-${workers}`), workers })),
  )
  expect(await one!.inspectorUrl()).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\//)
  for (const { url } of [one!, two!]) expect((await fetch(`${url}/api/v1/version`)).status).toBe(200)
}, 60_000)
