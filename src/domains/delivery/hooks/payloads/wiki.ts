import type { EventFactsLoader } from './event-facts.ts'
import type { BuildMessages, MessageBuilders } from './payload.ts'
import { messageOf } from './payload.present.ts'

/** Pages that are changed by the API. A push to the wiki, which may change any number of pages, sends nothing. */
export function wikiBuilders(facts: EventFactsLoader): MessageBuilders {
  const build =
    (action: 'created' | 'edited' | 'deleted'): BuildMessages<'wiki.created' | 'wiki.edited' | 'wiki.deleted'> =>
    async (event) => {
      const found = await facts.load(event, 'all')
      if (found === undefined) return []
      const { repository, sender } = found
      const { page, comment } = event.payload
      return [messageOf('wiki', { action, repository, sender, page, comment })]
    }
  return { 'wiki.created': build('created'), 'wiki.edited': build('edited'), 'wiki.deleted': build('deleted') }
}
