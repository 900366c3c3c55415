import type { LanguageGrammar } from './language.ts'

/** Hindi, in Devanagari and in the Latin letters that people type. */
export const hindi: LanguageGrammar = {
  not: { follows: 'ke bahar, ke alawa, ke siva, ko chhodkar, nahi, के बाहर, के अलावा, के सिवा, को छोड़कर, नहीं' },
  near: { follows: 'ke paas, ke pas, ke nazdeek, ke najdik, ke aas paas, के पास, के नज़दीक, के निकट, के आसपास' },
  in: { follows: 'mein, में' },
  age: { leads: 'saal, sal, साल, वर्ष' },
  before: { follows: 'se pahle, se pehle, से पहले' },
  after: { follows: 'ke baad, ke bad, के बाद' },
  and: { leads: 'aur, se, और, से' },
  oldest: { alone: 'sabse purana, sabse purani, sabse purane, सबसे पुराना, सबसे पुरानी, सबसे पुराने, सबसे प्राचीन' },
  newest: { alone: 'sabse naya, sabse nayi, सबसे नया, सबसे नई' },
  extreme: { alone: 'sabse bada, sabse badi, sabse uncha, सबसे बड़ा, सबसे बड़ी, सबसे ऊंचा' },
  noise: {
    alone:
      'kahan hai, kab hota hai, kahan hua, kaun sa hai, sundar, mashhur, कहाँ है, कहाँ हुआ, कब होता है, कब हुआ, सुंदर, मशहूर',
  },
}
