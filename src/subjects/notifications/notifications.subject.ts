import { defineSubject } from '../subject.ts'
import { subscriptionOperations } from './subscriptions/subscriptions.operations.ts'
import { createSubscriptions } from './subscriptions/subscriptions.service.ts'

/** Who follows an issue. */
export const subject = defineSubject({
  name: 'notifications',
  needs: ['issues', 'social', 'users'],
  create({ database, clock, site }, { users }, guards) {
    const subscriptions = createSubscriptions({ database, clock, users })
    return { operations: subscriptionOperations({ guards, site, subscriptions }) }
  },
})
