/** Nepali translations of the sentences of letters. */
export const letters: Readonly<Record<string, string>> = {
  '{0} notices for you': 'तपाईंका लागि {0} सूचना',
  'Dear {0},': 'प्रिय {0},',
  'And {0} more, which you find where you sign in.': 'थप {0} सूचना साइन इन गरेपछि हेर्न सकिन्छ।',
  'You get this letter because you asked for letters.': 'तपाईंले पत्र माग्नुभएकाले यो पत्र आएको हो।',
  'To stop them:': 'पत्र रोक्न:',
  'To stop watching all that you watch:': 'निगरानीमा राखिएका सबै कुरा हटाउन:',
  'Is this your address?': 'के यो ठेगाना तपाईंको हो?',
  'Someone who uses this address, we think you, asked us for letters.':
    'यो ठेगाना प्रयोग गर्ने कसैले, सम्भवतः तपाईंले, हामीसँग पत्र माग्नुभएको छ।',
  'If it was you, open this link within three days:': 'तपाईं नै हो भने तीन दिनभित्र यो लिङ्क खोल्नुहोस्:',
  'Someone, we think you, made the account {0} with this address.':
    'कसैले, सम्भवतः तपाईंले, यो ठेगाना राखेर {0} नामको खाता बनाउनुभएको छ।',
  'The account {0} is to have this address.': '{0} नामको खाताको ठेगाना यही हुने भएको छ।',
  'If it was not, do nothing: the account does not get the address.': 'होइन भने केही नगर्नुहोस्: खाताले यो ठेगाना पाउँदैन।',
  'You have an account already': 'तपाईंको खाता पहिल्यै छ',
  'Someone, we think you, wants to use this address for an account.':
    'कसैले, सम्भवतः तपाईंले, एउटा खाताका लागि यो ठेगाना प्रयोग गर्न खोज्नुभएको छ।',
  'It belongs to your account {0}. Sign in with that one.': 'यो तपाईंको खाता {0} को ठेगाना हो। त्यसैबाट साइन इन गर्नुहोस्।',
  'Set a new password': 'नयाँ पासवर्ड राख्नुहोस्',
  'The account {0} has no password: sign in by your identity provider.':
    '{0} नामको खाताको पासवर्ड छैन: आफ्नो पहिचान प्रदायकबाट साइन इन गर्नुहोस्।',
  'Someone, we think you, asked for a new password of the account {0}.':
    'कसैले, सम्भवतः तपाईंले, {0} नामको खाताको नयाँ पासवर्ड माग्नुभएको छ।',
  'If it was you, open this link within an hour:': 'तपाईं नै हो भने एक घण्टाभित्र यो लिङ्क खोल्नुहोस्:',
  'If it was not, do nothing: the password stays as it is.': 'होइन भने केही नगर्नुहोस्: पासवर्ड जस्ताको तस्तै रहन्छ।',
  'Your address has changed': 'तपाईंको ठेगाना बदलियो',
  'The account {0} has another address now. Nothing comes here any more.':
    '{0} नामको खाताको ठेगाना अब अर्कै छ। यहाँ अब केही आउँदैन।',
  'If it was not you, tell those who run this service.': 'तपाईंले गर्नुभएको होइन भने यो सेवा चलाउनेहरूलाई भन्नुहोस्।',
  'Your password has changed': 'तपाईंको पासवर्ड बदलियो',
  'The account {0} has a new password, and all its sessions have ended. Its keys stay.':
    '{0} नामको खाताको नयाँ पासवर्ड राखियो, र यसका सबै सत्र सकिए। यसका साँचो भने रहन्छन्।',
  'If it was not you, ask for a new password where you sign in.':
    'तपाईंले गर्नुभएको होइन भने साइन इन गर्ने ठाउँमा नयाँ पासवर्ड माग्नुहोस्।',
  'Your account is closed': 'तपाईंको खाता बन्द गरियो',
  'Those who run this service have closed the account {0}. Their reason:':
    'यो सेवा चलाउनेहरूले {0} नामको खाता बन्द गरेका छन्। उनीहरूले दिएको कारण:',
  'If there is an account of this address, a letter is on its way.': 'यस ठेगानाको खाता छ भने पत्र पठाइँदै छ।',
  'A letter is on its way to the new address.': 'नयाँ ठेगानामा पत्र पठाइँदै छ।',
  'A letter is on its way to your address.': 'तपाईंको ठेगानामा पत्र पठाइँदै छ।',
  'Choose another one: 8 letters or more, not a common one, and unlike your names.':
    'अर्को छान्नुहोस्: कम्तीमा ८ अक्षरको, धेरैले प्रयोग नगर्ने, र आफ्नो नामसँग नमिल्ने।',
  'Choose a new password for {0}.': '{0} का लागि नयाँ पासवर्ड छान्नुहोस्।',
  'Set the password': 'पासवर्ड राख्नुहोस्',
  'The password is set. You can sign in now.': 'पासवर्ड राखियो। अब साइन इन गर्न सक्नुहुन्छ।',
  '{0} is the address of your account.': '{0} तपाईंको खाताको ठेगाना हो।',
  'Is {0} your address?': 'के {0} तपाईंको ठेगाना हो?',
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
}
