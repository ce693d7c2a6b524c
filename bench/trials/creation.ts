import { repoCreation } from '../endpoints.ts'
import type { Trial } from '../figure.ts'
import { applyLoad } from '../load/load.ts'
import { measureGitInit } from '../load/yardsticks.ts'

const NAME = 'create with auto_init, alone'
const MAX_TIMES = 2

/** Creating repositories one at a time, compared with the command that creates only the directory. */
export const creation: Trial = {
  names: [NAME],
  needs: 'site',
  async run({ tempDir, target, seed, options }) {
    const { p50, failures } = await applyLoad({
      seconds: options.seconds,
      connections: 1,
      next: repoCreation(target, seed),
    })
    const beside = { name: 'git init --bare', value: await measureGitInit(tempDir) }
    return [{ name: NAME, measured: failures === 0 ? p50 : undefined, unit: 'ms', beside, max: MAX_TIMES }]
  },
}
