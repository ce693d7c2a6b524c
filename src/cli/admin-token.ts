import { text, type CommandInput } from './command.ts'
import { requireUser, withCore } from './with-core.ts'

/** Prints the token alone, for scripts. */
export async function createToken({ values, config, print }: CommandInput): Promise<number> {
  const username = text(values, 'username')!
  const value = await withCore(config(), async (core) => {
    const user = await requireUser(core, username)
    return (await core.tokens.create(user.id, { name: text(values, 'name')!, scopes: [text(values, 'scopes')!] })).value
  })
  print(value)
  return 0
}
