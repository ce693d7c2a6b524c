import type { Environment } from '../core/config/index.ts'
import { setChildPath } from '../core/platform/process/process.ts'
import { commandHelp, configOf, findCommand, overview, parseOptions, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { explainFailure } from './failures.ts'

type Output = Pick<Console, 'log' | 'error'>

/** Runs a command line and returns the exit code: 0 done, 1 failed, 2 wrong usage or configuration. */
export async function runCli(
  argv: readonly string[],
  environment: Environment,
  output: Output = console,
): Promise<number> {
  if (environment['PATH']) setChildPath(environment['PATH'])
  const first = argv[0] ?? 'help'
  if (first === 'help' || first === '--help' || first === '-h') return print(output, overview(commands))
  const found = findCommand(commands, first === '--version' ? ['version'] : argv)
  if (found === undefined) return unknown(output, argv)
  const { command, rest } = found
  try {
    const values = parseOptions(command, rest)
    if (values['help']) return print(output, commandHelp(command))
    const run = await command.load()
    return await run({
      values,
      config: () => configOf(command, values, environment),
      print: (text) => void print(output, text),
    })
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(`ingot ${command.words}: ${error.message}\nSee ingot ${command.words} --help`)
      return 2
    }
    const { message, code } = explainFailure(error)
    output.error(`ingot ${command.words}: ${message}`)
    return code
  }
}

/** Prints the commands of a group such as `admin user`; anything else is an error. */
function unknown(output: Output, argv: readonly string[]): number {
  const words = argv.filter((word) => !word.startsWith('-'))
  const isGroup = commands.some((command) => command.words.startsWith(`${words.join(' ')} `))
  if (isGroup && argv.some((word) => word === '--help' || word === '-h'))
    return print(output, overview(commands, `${words.join(' ')} `))
  output.error(
    isGroup
      ? `ingot ${words.join(' ')}: which one?\n\n${overview(commands, `${words.join(' ')} `)}`
      : `ingot: unknown command ${words.join(' ')}\n\n${overview(commands)}`,
  )
  return 2
}

function print(output: Output, text: string): number {
  output.log(text.replace(/\n$/, ''))
  return 0
}
