/** Calls whose answers were found to differ by `npm run fuzz:tools`, one for each rule. */
import type { DebianCall } from './debian-calls.ts'

const calls = [
  // What makes no sense is not written, whichever command would.
  'crm_attribute -n new -i web-utilization-cpu -v 5',
  'crm_resource -r web -m -p priority -v 5 -s db-clone',
  'crm_resource -r web -D -t primitive',
  // The id says which pair is meant, and the pair gets the name.
  'crm_attribute -n other-name -i cib-bootstrap-options-cluster-name -v x',
  'crm_attribute -N nobody -t rsc_defaults -n resource-stickiness -D',
  "crm_resource -r web -p state -v ''",
  'crm_resource -r web:0 -m -p priority -v 5',
  'crm_resource -r db:0 -m -d clone-max',
  'crm_resource -r db:0 -W',
  'crm_resource -r web:0 -B -N alpha',
  'crm_resource -r web -M -N beta -u P1D',
  'crm_resource -r web -B -N alpha -u 60',
  'crm_resource -R',
  'crm_resource -R -N alpha',
  'crm_failcount -r nosuch -N alpha -D',
  'crm_failcount -r web -N nobody -D',
  'crm_ticket -t ticketA -D owner',
  'crm_ticket -t ticketA -D none',
  'crm_ticket -t nosuch -D owner',
  'crm_ticket -t ticketA -D granted',
  'crm_ticket -t ticketA -S granted -v true',
  'crm_ticket -t ticketA -S granted -v bogus',
  'crm_ticket -t ticketA -S granted -v false --force',
  'crm_ticket -t nosuch -G x -d y',
  'crm_ticket -t ticketA -G id',
  'crm_ticket -t nosuch -w',
  'crm_ticket -t nosuch -l',
  'crm_ticket -t nosuch --cleanup',
]

export const foundCalls: readonly DebianCall[] = calls.map((call) => ({ call }))
