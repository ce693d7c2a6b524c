import { gitLogin } from './api.ts'
import { gitUrl, say, type Run } from './run.ts'
import { waitForMaintenance } from './system/maintenance.ts'

/** Pushes all refs of the large repository into `name`; gives the wall time in ms. */
export function pushAll(run: Run, name: string): Promise<number> {
  return run.tempDir.run(
    'git',
    ['push', '--quiet', gitUrl(run, name), 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'],
    { cwd: run.large.path, env: gitLogin(run.target) },
  )
}

/** Makes the large repository, pushes it and waits for what the server does after it; gives the time of the push. */
export async function pushLarge(run: Run): Promise<number> {
  await run.makeLarge()
  say('pushing the large repository')
  const ms = await pushAll(run, run.seed.large)
  await waitForMaintenance(run)
  return ms
}
