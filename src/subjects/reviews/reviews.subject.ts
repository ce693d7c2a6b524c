import { defineSubject } from '../subject.ts'
import { reviewEvents } from './reviews.events.ts'

/** Reviews of pull requests, and requests for them. */
export const subject = defineSubject({
  name: 'reviews',
  needs: [],
  create: () => ({ events: reviewEvents }),
})
