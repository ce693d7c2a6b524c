import { runProcess } from '../platform/process/process.ts'
import { gitEnv } from './engine/command.ts'
import { GitError } from './errors.ts'

const OLDEST = [2, 38] as const

/** Returns the version of the installed git; throws if it lacks features that the server needs. */
export async function requireGitVersion(): Promise<string> {
  const needed = `git >= ${OLDEST.join('.')} is required`
  const result = await runProcess('git', ['version'], { env: gitEnv(undefined), deadline: 10_000 }).catch(
    (error: unknown) => {
      throw new GitError('failed', `${needed}, but git cannot be started: is it installed and on the PATH?`, {
        cause: error,
      })
    },
  )
  const match = /^git version ((\d+)\.(\d+)\S*)/.exec(result.stdout.toString('utf8'))
  if (!match) throw new GitError('failed', `${needed}, but its version cannot be read`)
  const [major, minor] = [Number(match[2]), Number(match[3])]
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw new GitError('failed', `${needed}, found ${match[1]}`)
  return match[1]!
}
