/** What letters say, and what is said of past moments. */
export const letters: Readonly<Record<string, string>> = {
  '{0} notices for you': 'तपाईंका लागि {0} सूचना',
  'Dear {0},': 'प्रिय {0},',
  'And {0} more, which you find where you sign in.': 'थप {0} सूचना साइन इन गरेपछि हेर्न सकिन्छ।',
  'You get this letter because you asked for letters.': 'तपाईंले पत्र माग्नुभएकाले यो पत्र आएको हो।',
  'To stop them:': 'पत्र रोक्न:',
  'Is this your address?': 'के यो ठेगाना तपाईंको हो?',
  'Someone who uses this address, we think you, asked us for letters.':
    'यो ठेगाना प्रयोग गर्ने कसैले, सम्भवतः तपाईंले, हामीसँग पत्र माग्नुभएको छ।',
  'If it was you, open this link within three days:': 'तपाईं नै हो भने तीन दिनभित्र यो लिङ्क खोल्नुहोस्:',
  'If it was not, do nothing: no further letter comes.': 'होइन भने केही नगर्नुहोस्: अर्को पत्र आउने छैन।',
  'No letters go to {0}.': '{0} मा पत्र जाँदैन।',
  'Letters go to {0}.': '{0} मा पत्र जान्छ।',
  'Stop them': 'पत्र रोक्नुहोस्',
  '{0} is confirmed: letters go there.': '{0} पुष्टि भयो: पत्र त्यहाँ जान्छ।',
  'Shall letters go to {0}?': 'के पत्र {0} मा पठाउने?',
  'Yes, this is my address': 'हो, यो मेरो ठेगाना हो',
  Yes: 'हो',
  No: 'होइन',
  'Give a whole number from 0 to 23.': '० देखि २३ सम्मको पूर्ण सङ्ख्या दिनुहोस्।',
  'Give a time zone such as Asia/Kathmandu.': 'Asia/Kathmandu जस्तो समय क्षेत्र दिनुहोस्।',
  'This service sends no letters.': 'यो सेवाले पत्र पठाउँदैन।',
  'No letter can be sent to the address of this account.': 'यस खाताको ठेगानामा पत्र पठाउन सकिँदैन।',
  'This link is not valid, or not any more.': 'यो लिङ्क मान्य छैन वा यसको म्याद सकिएको छ।',
  'Give a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z.':
    '2026-01-31 जस्तो मिति वा 2026-01-31T18:00:00Z जस्तो समय दिनुहोस्।',
  'This moment has not come yet.': 'यो समय अझै आएको छैन।',
  'Of a past time, follow the links in "next".': 'विगतको समयका लागि "next" मा दिइएका लिङ्क पछ्याउनुहोस्।',
  'A list of a past time is not narrowed or sorted: leave out {0}.':
    'विगतको समयको सूची छानिँदैन र क्रममा राखिँदैन: {0} नराख्नुहोस्।',
  'Tables show the records of today: leave out format or at.': 'तालिकाले आजका अभिलेख देखाउँछ: format वा at नराख्नुहोस्।',
}
