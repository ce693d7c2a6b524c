import { gitLogin } from '../api.ts'
import { openEcho } from '../load/echo.ts'
import type { Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import { gitUrl } from '../run.ts'

const NAME = 'git ls-remote beyond the client'
const REPEATS = 15
const MAX_MS = 10

/** What `git ls-remote` takes longer than with a server that has its answers ready. */
export const lsRemote: Trial = {
  names: [NAME],
  needs: 'large',
  async run(run) {
    const { tempDir, target, seed } = run
    const url = gitUrl(run, seed.large)
    const echo = await openEcho(target.url)
    const list = (from: string) => tempDir.run('git', ['ls-remote', '--quiet', from], { env: gitLogin(target) })
    const echoed = url.replace(target.url, echo.url)
    await list(echoed)
    const real: number[] = []
    const ready: number[] = []
    for (let i = 0; i < REPEATS; i++) {
      real.push(await list(url))
      ready.push(await list(echoed))
    }
    await echo.close()
    return [{ name: NAME, measured: Math.max(0, median(real) - median(ready)), unit: 'ms', max: MAX_MS }]
  },
}
