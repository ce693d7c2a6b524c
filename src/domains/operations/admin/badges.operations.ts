import { Type } from '@sinclair/typebox'
import { listed, noContent } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import { Badge, UserBadgeOption } from './admin.model.ts'
import type { Badges } from './badges.service.ts'

interface BadgeOperationDeps {
  readonly badges: Badges
  readonly guards: Pick<Guards, 'adminOfUser'>
}

/** Badges of users (behaviour/users-and-admin#other-administration); the command line makes them. */
export function badgeOperations({ badges, guards }: BadgeOperationDeps): Operation[] {
  const common = {
    path: '/admin/users/{username}/badges',
    area: 'admin',
    scopes: ['admin'],
    guard: guards.adminOfUser,
  } as const
  const change = { ...common, body: UserBadgeOption, responses: { 204: null }, errors: [403, 404, 422] } as const
  return [
    defineOperation({
      ...common,
      id: 'adminListUserBadges',
      method: 'GET',
      summary: 'List the badges of a user',
      responses: { 200: Type.Array(Badge) },
      errors: [403, 404],
      async handler({ access: { user } }) {
        const items = await badges.of(user.id)
        return listed(
          { items, total: items.length },
          items.map(({ imageUrl, ...badge }) => ({ ...badge, image_url: imageUrl })),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...change,
      id: 'adminAddUserBadges',
      method: 'POST',
      summary: 'Give badges to a user',
      async handler({ access: { actor, user }, body }) {
        await badges.grant(actor, user.id, body.badge_slugs)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'adminDeleteUserBadges',
      method: 'DELETE',
      summary: 'Take badges from a user; those it has not are ignored',
      async handler({ access: { actor, user }, body }) {
        await badges.revoke(actor, user.id, body.badge_slugs)
        return noContent()
      },
    }),
  ]
}
