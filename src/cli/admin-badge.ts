import { commandLine } from '../domains/accounts/index.ts'
import { type CommandInput, text } from './command.ts'
import { withCore } from './with-core.ts'

export async function createBadge({ values, config, print }: CommandInput): Promise<number> {
  const slug = text(values, 'slug')!
  await withCore(config(), (core) =>
    core.badges.create(commandLine, {
      slug,
      description: text(values, 'description') ?? '',
      imageUrl: text(values, 'image') ?? '',
    }),
  )
  print(`Created the badge ${slug}.`)
  return 0
}

export async function listBadges({ config, print }: CommandInput): Promise<number> {
  await withCore(config(), async ({ badges }) => {
    for (const badge of await badges.list()) print([badge.slug, badge.description, badge.imageUrl].join('\t'))
  })
  return 0
}

export async function deleteBadge({ values, config, print }: CommandInput): Promise<number> {
  const slug = text(values, 'slug')!
  await withCore(config(), (core) => core.badges.delete(commandLine, slug))
  print(`Deleted the badge ${slug}.`)
  return 0
}
