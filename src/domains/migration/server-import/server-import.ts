import type { Core, Services } from '../../../core/module.ts'
import { conflict, forbidden, unavailable } from '../../../core/platform/errors.ts'
import { members } from '../../../core/platform/json-members.ts'
import { isOutgoingError } from '../../../core/platform/outgoing/index.ts'
import { ForgeError } from '../imports/forge-error.ts'
import { createForgeApi, type ForgeApi } from '../imports/forge-api.ts'
import { sleep } from '../imports/forge-waits.ts'
import { createJournal } from './journal.store.ts'
import { createReport } from './report.ts'
import type { ServerContext, ServerStep } from './server-context.ts'
import {
  accountsStep,
  emailsStep,
  gpgKeysStep,
  restrictionsStep,
  settingsStep,
  sshKeysStep,
} from './steps/accounts.step.ts'
import { avatarsStep } from './steps/avatars.step.ts'
import { namesStep } from './steps/names.step.ts'
import { orgLabelsStep, organizationsStep, publicMembersStep, teamsStep } from './steps/organizations.step.ts'
import { hooksStep, packagesStep, secretsStep, variablesStep } from './steps/owner-parts.step.ts'
import { passwordsStep } from './steps/passwords.step.ts'
import { blocksStep, followsStep, starsStep } from './steps/relations.step.ts'
import { repoPartsStep } from './steps/repo-parts.step.ts'
import { repositoriesStep } from './steps/repositories.step.ts'
import { createTargetApi, type TargetApi } from './target-api.ts'

/** The steps in their order: each finds what it needs. A second run goes through all of them again. */
const steps: readonly ServerStep[] = [
  namesStep,
  accountsStep,
  emailsStep,
  sshKeysStep,
  gpgKeysStep,
  settingsStep,
  organizationsStep,
  teamsStep,
  orgLabelsStep,
  publicMembersStep,
  followsStep,
  repositoriesStep,
  repoPartsStep,
  avatarsStep,
  variablesStep,
  secretsStep,
  hooksStep,
  starsStep,
  blocksStep,
  packagesStep,
  restrictionsStep,
  passwordsStep,
]

export interface ServerImportOptions {
  /** The address of the other server, and a token of an administrator there. */
  readonly from: string
  readonly token: string
  /** The address of the running server, and a token of an administrator. */
  readonly to: string
  readonly targetToken: string
  /** Other names by the present ones. */
  readonly rename: ReadonlyMap<string, string>
  readonly signInSources: ReadonlyMap<number, number>
  /** Whether a repository of the other server, `owner/name`, is imported. */
  isChosen(fullName: string): boolean
  readonly isDryRun: boolean
  /** Reactions and reviews are compared too. */
  readonly isThorough: boolean
  /** Stores the one-time password of an account; if absent, accounts get none. */
  readonly writePassword: ((account: string, password: string) => void) | undefined
  /** Otherwise it fails if an earlier run has imported from the server. */
  readonly mayResume: boolean
  readonly signal: AbortSignal
  /** `total` is 0 until it is known. */
  progress(step: string, objects: number, total: number): void
}

type ImportCore = Pick<Core, 'clock' | 'database'> & Pick<Services, 'outgoingClient'>

const FILE_TIMEOUT = 600_000
const MAX_WAIT = 4 * 3_600_000
const POLL_MS = 250

/** Runs all steps. Throws Conflict for names that are taken, ForgeError and OutgoingError of the other server. */
export async function importServer(
  core: ImportCore,
  options: ServerImportOptions,
): Promise<ReturnType<typeof createReport>> {
  const { from, token, signal, isChosen } = options
  let running = ''
  const report = createReport((objects, total) => options.progress(running, objects, total))
  const journal = createJournal(core.database, from)
  if (!options.mayResume && (await journal.list('account')).length > 0)
    throw conflict(`an earlier run has imported from ${from}`)
  const target = openTarget(core, options)
  const context: ServerContext = {
    core,
    from,
    token,
    source: openApi(core, from, token),
    target,
    journal,
    report,
    names: { given: options.rename, imported: new Map(), accounts: new Map(), missing: [] },
    signInSources: options.signInSources,
    isChosen,
    isDryRun: options.isDryRun,
    isThorough: options.isThorough,
    writePassword: options.writePassword,
    signal,
    pollMs: POLL_MS,
  }
  try {
    await withoutForgeErrors(from, async () => {
      await requireAdministrator(context)
      for (const step of steps) {
        running = step.name
        options.progress(running, report.objects(), 0)
        await step.run(context)
      }
    })
    return report
  } finally {
    await target.close()
  }
}

/** Throws Unavailable where the other server fails. */
export async function withoutForgeErrors<T>(from: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ForgeError || isOutgoingError(error) ? unavailable(`${from}: ${error.message}`) : error
  }
}

/** The lists of accounts are shown to administrators alone. */
export async function requireAdministrator({
  source,
  from,
  signal,
}: Pick<ServerContext, 'from' | 'signal' | 'source'>): Promise<void> {
  const user = members(await source.get('/user', signal))
  if (user['is_admin'] !== true) throw forbidden(`the token is not one of an administrator of ${from}`)
}

export const openTarget = (
  core: ImportCore,
  { to: url, targetToken: token, signal }: Pick<ServerImportOptions, 'signal' | 'targetToken' | 'to'>,
): TargetApi =>
  createTargetApi({
    url,
    token,
    signal,
    openForge: (outgoingClient) => openApi({ ...core, outgoingClient }, url, token),
  })

export function openApi({ clock, outgoingClient }: Omit<ImportCore, 'database'>, url: string, token: string): ForgeApi {
  return createForgeApi({
    client: outgoingClient,
    patience: { clock, maxWait: MAX_WAIT, sleep },
    base: `${url}/api/v1`,
    webUrl: url,
    credentials: [{ authorization: `token ${token}` }],
    perPage: ['limit', 50],
    timeout: FILE_TIMEOUT,
  })
}
