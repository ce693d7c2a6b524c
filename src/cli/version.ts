import { runProcess } from '../core/platform/process/process.ts'
import { INGOT_VERSION } from '../core/platform/version.ts'
import type { CommandInput } from './command.ts'

export async function printVersion({ print }: CommandInput): Promise<number> {
  const git = await runProcess('git', ['version']).then(
    ({ stdout }) => stdout.toString('utf8').trim(),
    () => 'git is missing',
  )
  print(`ingot ${INGOT_VERSION}\nnode ${process.version}\n${git}`)
  return 0
}
