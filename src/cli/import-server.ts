import { appendFileSync } from 'node:fs'
import type { CoreApp } from '../app/modules.ts'
import type { Config } from '../core/config/index.ts'
import { systemClock } from '../core/platform/clock.ts'
import { invalid, isDomainError } from '../core/platform/errors.ts'
import { commandLine } from '../domains/accounts/index.ts'
import { importServer, type Report, type ServerImportOptions, verifyServer } from '../domains/migration/index.ts'
import { type CommandInput, text, UsageError, type Values } from './command.ts'
import { progressBar, progressLine } from './progress-line.ts'
import { readText } from './read-text.ts'
import { nextSignal } from './signals.ts'
import { withCore } from './with-core.ts'

const TOKEN_LIFE = 14 * 24 * 3_600_000
const WITH_OMISSIONS = 3
const PLAIN_INTERVAL = 10_000
const BAR_INTERVAL = 200
const MAX_LOGIN = 255

/** Returns 0, or 3 if something was omitted. */
export async function runImport(input: CommandInput): Promise<number> {
  const { values, config, print } = input
  const isDryRun = values['dry-run'] === true
  const given = readOptions(values, config())
  const rename = new Map(pairs(values, 'rename').map(([old, name]) => [old.toLowerCase(), name]))
  const signInSources = new Map(pairs(values, 'source').map(([theirs, ours]) => [Number(theirs), Number(ours)]))
  const passwords = text(values, 'passwords')
  const signal = stopSignal()
  const report = await withToken(config(), 'ingot import server', (core, targetToken) =>
    importServer(core, {
      ...given,
      targetToken,
      rename,
      signInSources,
      mayResume: values['resume'] !== false,
      isDryRun,
      writePassword:
        passwords === undefined
          ? undefined
          : (account, password) => appendFileSync(passwords, `${account} ${password}\n`, { mode: 0o600 }),
      signal,
      progress: showProgress(print),
    }),
  )
  printReport(report, { print, isDryRun })
  return report.omissions.length > 0 ? WITH_OMISSIONS : 0
}

/** Returns 0 if the servers agree, else 1. */
export async function runVerify({ values, config, print }: CommandInput): Promise<number> {
  const given = readOptions(values, config())
  const signal = stopSignal()
  let differences = 0
  const difference = (text: string): void => {
    differences++
    print(text)
  }
  const compared = await withToken(config(), 'ingot import verify', (core, targetToken) =>
    verifyServer(core, { ...given, targetToken, signal, difference }),
  )
  print(`${compared} objects compared, ${differences} differences`)
  return differences > 0 ? 1 : 0
}

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  void nextSignal().then(() => stop.abort(invalid('stopped; the same command continues')))
  return stop.signal
}

/**
 * Runs `work` with a token of the first administrator, which is deleted in the end, as is that of a run that was
 * killed: of two runs at once, the earlier one fails.
 */
const withToken = <T>(config: Config, name: string, work: (core: CoreApp, token: string) => Promise<T>): Promise<T> =>
  withCore(config, async (core) => {
    const { users, tokens } = core
    const order = { by: 'id', direction: 'asc' } as const
    const [admin] = (await users.list({ isAdmin: true }, order, { page: 1, limit: 1, offset: 0 })).items
    if (admin === undefined) throw invalid('this server has no administrator: create one with ingot admin user create')
    const deleteToken = (): Promise<void> =>
      tokens.delete(commandLine, admin.id, name).catch((error: unknown) => {
        if (!isDomainError(error, 'not-found')) throw error
      })
    await deleteToken()
    const expiresAt = systemClock.now() + TOKEN_LIFE
    const { value } = await tokens.create(commandLine, admin.id, { name, scopes: ['all'], expiresAt })
    try {
      return await work(core, value)
    } finally {
      await deleteToken()
    }
  })

type Given = Pick<ServerImportOptions, 'from' | 'isChosen' | 'isThorough' | 'to' | 'token'>

function readOptions(values: Values, config: Config): Given {
  const to = text(values, 'to') ?? config.server.root_url
  if (to === '') throw new UsageError('--to is needed: the address at which this server listens')
  return {
    from: readAddress(text(values, 'from')!, '--from'),
    to: readAddress(to, '--to'),
    token: readToken(text(values, 'token-file')!),
    isChosen: readPatterns((values['only'] ?? []) as readonly string[]),
    isThorough: values['thorough'] === true,
  }
}

/** `owner/name`, in which `*` stands for any characters but slashes; every repository without a pattern. */
function readPatterns(patterns: readonly string[]): Given['isChosen'] {
  const regexps = patterns.map((pattern) => {
    if (!/^[^/]{1,100}\/[^/]{1,100}$/.test(pattern)) throw new UsageError(`--only needs OWNER/NAME, got ${pattern}`)
    return new RegExp(`^${pattern.split('*').map(escaped).join('[^/]*')}$`, 'i')
  })
  return (fullName) => regexps.length === 0 || regexps.some((regexp) => regexp.test(fullName))
}

const escaped = (text: string): string => text.replaceAll(/[^\w-]/g, String.raw`\$&`)

function readAddress(address: string, option: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '')
    throw new UsageError(`${option} needs an address such as https://git.example.org, got ${address}`)
  return `${url.origin}${url.pathname}`.replace(/\/$/, '')
}

function readToken(file: string): string {
  const token = readText(file).trim()
  if (!/^[\x21-\x7e]{1,255}$/.test(token)) throw new UsageError(`${file} does not contain a token`)
  return token
}

function pairs(values: Values, option: string): [string, string][] {
  return ((values[option] ?? []) as readonly string[]).map((pair) => {
    const [left = '', right = '', ...rest] = pair.split('=')
    if (left === '' || right === '' || rest.length > 0 || pair.length > MAX_LOGIN)
      throw new UsageError(`--${option} needs two values with = between them, got ${pair}`)
    if (option === 'source' && !/^\d{1,9}=\d{1,9}$/.test(pair))
      throw new UsageError(`--source needs two numbers with = between them, got ${pair}`)
    return [left, right]
  })
}

/** A line that changes on a terminal, lines now and then elsewhere. */
function showProgress(print: CommandInput['print']): ServerImportOptions['progress'] {
  const isTerminal = process.stderr.isTTY === true
  const startedAt = systemClock.now()
  let step = ''
  let shownAt = 0
  return (current, objects, total) => {
    const now = systemClock.now()
    const isNew = current !== step
    if (!isNew && now - shownAt < (isTerminal ? BAR_INTERVAL : PLAIN_INTERVAL)) return
    step = current
    shownAt = now
    const progress = { step, objects, total, seconds: (now - startedAt) / 1000 }
    if (isTerminal) process.stderr.write(`\r${progressBar(progress)}${progressLine(progress)}\u001b[K`)
    else print(progressLine(progress))
  }
}

function printReport(report: Report, { print, isDryRun }: { print: CommandInput['print']; isDryRun: boolean }): void {
  if (process.stderr.isTTY) process.stderr.write('\n')
  const { counts, omissions, deletions, secrets, accounts } = report
  for (const [kind, { read, written }] of counts)
    if (read > 0 || written > 0) print(`${kind}: ${isDryRun ? `${read} read` : `${read} read, ${written} written`}`)
  printList(print, 'Left out:', omissions)
  printList(print, 'Deleted, as at the other server:', deletions)
  printList(print, 'Enter again:', [...secrets])
  const title =
    'Accounts without a password, or that nobody has signed in to on the pages (ingot admin user change-password):'
  printList(print, title, accounts)
}

function printList(print: CommandInput['print'], title: string, lines: readonly string[]): void {
  if (lines.length > 0) print([title, ...lines.map((line) => `  ${line}`)].join('\n'))
}
