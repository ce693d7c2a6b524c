import { loadConfig, type Environment } from '../config/index.ts'
import { serve } from './serve.ts'

/** Runs a command line; gives the exit code. */
export async function runCli(argv: readonly string[], environment: Environment): Promise<number> {
  const [command = 'serve'] = argv
  if (command !== 'serve') {
    console.error(`unknown command ${command}`)
    return 2
  }
  return serve(loadConfig({ environment }))
}
