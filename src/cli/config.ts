import { showConfig } from '../core/config/index.ts'
import type { CommandInput } from './command.ts'

export async function checkConfig({ config, print }: CommandInput): Promise<number> {
  config()
  print('The configuration is valid.')
  return 0
}

export async function printConfig({ config, print }: CommandInput): Promise<number> {
  print(showConfig(config()))
  return 0
}
