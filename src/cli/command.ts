import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'
import { type Config, type Environment, loadConfig } from '../core/config/index.ts'

/** An invalid command line; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface Option extends ParseArgsOptionDescriptor {
  readonly help: string
  /** Placeholder of the value in the help; options without one are switches. */
  readonly value?: string
  readonly required?: boolean
  /** The setting that this option overrides, by dotted name. */
  readonly setting?: string
}

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export interface CommandInput {
  readonly values: Values
  /** Defaults, file, environment and flags; throws ConfigError. */
  config(): Config
  print(text: string): void
}

/** Returns the exit code: 0 done, 1 failed. */
type Run = (input: CommandInput) => Promise<number>

export interface Command {
  /** The words of the command: `admin user create`. */
  readonly words: string
  readonly summary: string
  readonly options: Readonly<Record<string, Option>>
  /** Loaded when the command runs, so that help and errors are fast. */
  load(): Promise<Run>
}

export const CONFIG_OPTIONS: Readonly<Record<string, Option>> = {
  config: { type: 'string', value: 'FILE', help: 'TOML configuration file (INGOT_CONFIG)' },
  'data-dir': { type: 'string', value: 'DIR', help: 'data directory (data_dir)', setting: 'data_dir' },
  set: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'override any setting, such as log.level=debug' },
}

const HELP: Option = { type: 'boolean', short: 'h', help: 'show this help' }

/** Returns the most specific command that the arguments begin with, and the remaining arguments. */
export function findCommand(
  commands: readonly Command[],
  argv: readonly string[],
): { command: Command; rest: string[] } | undefined {
  const fitting = commands.filter((command) => command.words.split(' ').every((word, index) => argv[index] === word))
  const command = fitting.toSorted((a, b) => b.words.length - a.words.length)[0]
  return command && { command, rest: argv.slice(command.words.split(' ').length) }
}

export function parseOptions(command: Command, args: readonly string[]): Values {
  const options = { ...command.options, help: HELP }
  const parsed = ((): Values => {
    try {
      return parseArgs({ args: [...args], options, allowPositionals: false, allowNegative: true }).values
    } catch (error) {
      throw new UsageError((error as Error).message)
    }
  })()
  const missing = Object.entries(command.options).filter(([name, option]) => option.required && !parsed[name])
  if (missing.length > 0 && !parsed['help'])
    throw new UsageError(`${missing.map(([name]) => `--${name}`).join(', ')} must be given`)
  return parsed
}

/** The configuration from options, environment and file. */
export function configOf(command: Command, values: Values, environment: Environment): Config {
  const flags: Record<string, string | undefined> = {}
  for (const pair of (values['set'] ?? []) as readonly string[]) {
    const [key, ...value] = pair.split('=')
    if (!key || value.length === 0) throw new UsageError(`--set needs KEY=VALUE, got ${pair}`)
    flags[key] = value.join('=')
  }
  for (const [name, option] of Object.entries(command.options))
    if (option.setting) flags[option.setting] = text(values, name) ?? flags[option.setting]
  return loadConfig({ file: text(values, 'config'), environment, flags })
}

export function text(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function commandHelp(command: Command): string {
  const rows = Object.entries({ ...command.options, help: HELP }).map(([name, option]): [string, string] => {
    const short = option.short ? `-${option.short}, ` : ''
    return [
      `  ${short}--${name}${option.value ? ` ${option.value}` : ''}`,
      `${option.help}${option.required ? ' (needed)' : ''}`,
    ]
  })
  return `${command.summary}\n\nUsage: ingot ${command.words} [options]\n\n${table(rows)}\n`
}

export function overview(commands: readonly Command[], prefix = ''): string {
  const rows = commands
    .filter((command) => command.words.startsWith(prefix))
    .map((command): [string, string] => [`  ${command.words}`, command.summary])
  return `Usage: ingot COMMAND [options]\n\n${table(rows)}\n\nRun a command with --help to see its options. Exit codes: 0 success, 1 failure, 2 wrong usage or configuration.\n`
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2
  return rows.map(([left, right]) => left.padEnd(width) + right).join('\n')
}
