import type { LanguageGrammar } from './language.ts'

/** Nepali, in Devanagari and in the Latin letters that people type. */
export const nepali: LanguageGrammar = {
  not: {
    follows: `bahek, bahira, bahirako, bahira ka, baheka, chhadera, chadera, nabhayeko, nabhaeko, hoina, haina, बाहेक, बाहिर, बाहिरका, बाहिरको, बाहेकका,
      छोडेर, नभएको, नभएका, होइन`,
  },
  near: {
    follows: `najik, najikai, najikko, najikka, ko najik, nira, nera, ko chheu ma, chheuma, ko chheuma, ko waripari, waripari, aaspaas, aaspas, aspas,
      नजिक, नजिकै, नजिकको, नजिकका, को नजिक, नेर, निर, छेउमा, छेउछाउ, वरपर, वरिपरि, आसपास`,
  },
  in: { follows: 'ma, bhitra, मा, भित्र' },
  age: { leads: 'barsa, barsha, वर्ष' },
  before: {
    follows: 'bhanda agadi, bhanda aghi, agadi, aghi, bhanda purano, भन्दा अगाडि, भन्दा अघि, अगाडि, अघि, भन्दा पुरानो',
  },
  after: { follows: 'bhanda pachhi, bhanda pachi, pachhi, pachi, भन्दा पछि, पछि' },
  bce: { alone: 'isa purva, ईसा पूर्व, ईशापूर्व' },
  since: { follows: 'dekhi, देखि' },
  and: { leads: 'ra, dekhi, र, देखि' },
  oldest: {
    alone:
      'sabai bhanda purano, sabaibhanda purano, sabse purano, sabai bhanda purano, purano, prachin, सबैभन्दा पुरानो, सबभन्दा पुरानो, प्राचीन, पुरानो, पुराना',
  },
  newest: { alone: 'sabai bhanda naya, sabaibhanda naya, सबैभन्दा नयाँ' },
  extreme: {
    alone:
      'sabai bhanda thulo, sabaibhanda thulo, sabai bhanda aglo, sabaibhanda aglo, thulo, aglo, सबैभन्दा ठूलो, सबैभन्दा अग्लो, ठूलो, अग्लो',
  },
  made: { alone: 'baneko, banayeko, nirmit, बनेको, बनेका, निर्मित' },
  noise: {
    alone:
      'ramro, sundar, prasiddha, kun ho, kaha cha, kaha chha, ke ke chan, kahile huncha, kahile hunchha, kahile parcha, kahile parchha, huncha, hunchha, parcha, parchha, कहिले हुन्छ, कहिले पर्छ, हुन्छ, राम्रो, सुन्दर, प्रसिद्ध, कुन हो, कहाँ छ',
  },
}
