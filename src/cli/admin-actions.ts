import type { ActionsScope } from '../domains/automation/index.ts'
import type { CoreApp } from '../app/modules.ts'
import { commandLine } from '../domains/accounts/index.ts'
import { repoQueries } from '../domains/repositories/index.ts'
import { type CommandInput, text, UsageError } from './command.ts'
import { requireUser, withCore } from './with-core.ts'

/** Prints only the token, for scripts. */
export async function runnerToken({ values, config, print }: CommandInput): Promise<number> {
  const token = await withCore(config(), async (core) => {
    const scope = await readScope(core, text(values, 'scope'))
    return values['reset'] === true ? core.runners.resetRegistrationToken(scope) : core.runners.registrationToken(scope)
  })
  print(token)
  return 0
}

/** Prints only the UUID, for scripts. */
export async function registerRunner({ values, config, print }: CommandInput): Promise<number> {
  const labels = text(values, 'labels')
  const runner = await withCore(config(), async (core) =>
    core.runnerRegistration.registerOffline(
      commandLine,
      await readScope(core, text(values, 'scope')),
      text(values, 'secret')!,
      {
        name: text(values, 'name')!,
        isEphemeral: values['ephemeral'] === true,
        ...(labels !== undefined && { labels: labels.split(',').map((label) => label.trim()) }),
      },
    ),
  )
  print(runner.uuid)
  return 0
}

/** The level of `owner` or `owner/repository`; the site without one. */
async function readScope(core: CoreApp, given = ''): Promise<ActionsScope> {
  if (given === '') return { kind: 'site' }
  const [owner, name, ...rest] = given.split('/')
  if (rest.length > 0) throw new UsageError(`--scope is ${given}; allowed: OWNER or OWNER/REPOSITORY`)
  if (name === undefined) return { kind: 'owner', ownerId: (await requireUser(core, owner!)).id }
  const repo = await repoQueries.findByAnyName(core.database.read, owner!, name)
  if (repo === undefined) throw new UsageError(`the repository ${given} does not exist`)
  return { kind: 'repository', repoId: repo.id }
}
