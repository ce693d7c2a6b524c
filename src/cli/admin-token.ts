import { notFound } from '../platform/errors.ts'
import { text, type CommandInput } from './command.ts'
import { withCore } from './with-core.ts'

/** Prints the token alone, for scripts. */
export async function createToken({ values, config, print }: CommandInput): Promise<number> {
  const username = text(values, 'username')!
  const value = await withCore(config(), async ({ users, tokens }) => {
    const user = await users.findByName(username)
    if (user?.kind !== 'individual') throw notFound(`there is no user ${username}`)
    return (await tokens.create(user.id, { name: text(values, 'name')!, scopes: [text(values, 'scopes')!] })).value
  })
  print(value)
  return 0
}
