/** Nepali translations of messages about which records are one thing. */
export const identity: Readonly<Record<string, string>> = {
  'This cluster was merged into {0}.': 'यो पुञ्ज {0} मा गाभिएको छ।',
  'This cluster is locked. Send lock_override to merge all the same.':
    'यो पुञ्जमा ताल्चा लागेको छ। तैपनि गाभ्न lock_override पठाउनुहोस्।',
  'This cluster is locked.': 'यो पुञ्जमा ताल्चा लागेको छ।',
  'A cluster of these records is locked.': 'यी अभिलेखको एउटा पुञ्जमा ताल्चा लागेको छ।',
  'There is no cluster with this id.': 'यस पहिचान सङ्केतको पुञ्ज छैन।',
  'A cluster cannot be merged into itself.': 'पुञ्जलाई आफैँमा गाभ्न सकिँदैन।',
  'It gathers records of another kind.': 'यसले अर्कै प्रकारका अभिलेख समेट्छ।',
  'It was merged before.': 'यो पहिल्यै गाभिइसकेको छ।',
  'It is locked.': 'यसमा ताल्चा लागेको छ।',
  'Give at least two groups, each with a record.': 'कम्तीमा दुई समूह दिनुहोस्, हरेकमा एक अभिलेख होस्।',
  'Name each member of the cluster in one group, and no other record.':
    'पुञ्जको हरेक सदस्यलाई एउटै समूहमा राख्नुहोस्, अरू कुनै अभिलेख नराख्नुहोस्।',
  'Give lists of ids of records.': 'अभिलेखका पहिचान सङ्केतका सूचीहरू दिनुहोस्।',
  'A claim of identity changes with its cluster: merge or split that.':
    'पहिचानको दाबी त्यसको पुञ्जसँगै बदलिन्छ: पुञ्ज गाभ्नुहोस् वा टुक्र्याउनुहोस्।',
  'This candidate is {0} already.': 'यो जोडीको अवस्था {0} भइसकेको छ।',
  'Accepting takes the cluster that is to hold both.': 'स्वीकार गर्न दुवै राखिने पुञ्ज दिनुपर्छ।',
  'Name at least one source which says that these records are one thing.':
    'यी अभिलेख एउटै वस्तु हुन् भन्ने कम्तीमा एउटा स्रोत दिनुहोस्।',
  'It is of another kind than the proposal.': 'यो प्रस्तावभन्दा अर्कै प्रकारको छ।',
  'This record is named twice.': 'यो अभिलेख दुई पटक दिइएको छ।',
  'Some of these records are in another cluster.': 'यीमध्ये केही अभिलेख अर्को पुञ्जमा छन्।',
  'A reviewer has held two of these records to be different things.':
    'समीक्षकले यीमध्ये दुई अभिलेख फरक वस्तु हुन् भनी ठहर गरेका छन्।',
  'The same is proposed already, and waits for a decision.': 'यही कुरा पहिल्यै प्रस्ताव गरिएको छ, र निर्णयको प्रतीक्षामा छ।',
  'The same was proposed before, and refused.': 'यही कुरा पहिले प्रस्ताव गरिएको थियो, र अस्वीकार भयो।',
  'Name the cluster that is to be extended.': 'बढाउनुपर्ने पुञ्ज दिनुहोस्।',
  'The author of this proposal has left.': 'यस प्रस्तावका लेखकले खाता छोडेका छन्।',
  'There is no such relationship.': 'यस्तो सम्बन्ध छैन।',
  'There is no source with this id.': 'यस पहिचान सङ्केतको स्रोत छैन।',
  'It is the same record.': 'यो उही अभिलेख हो।',
  'This relationship is accepted already.': 'यो सम्बन्ध स्वीकार भइसकेको छ।',
  'Give a list of ids.': 'पहिचान सङ्केतहरूको सूची दिनुहोस्।',
  'Give a list of names.': 'नामहरूको सूची दिनुहोस्।',
  'Give the address of a resource in uri.': 'uri मा स्रोतको ठेगाना दिनुहोस्।',
  'There is no project with this id.': 'यस पहिचान सङ्केतको परियोजना छैन।',
  'Only those who work on a project send it in.': 'परियोजनामा काम गर्नेले मात्र त्यसलाई पठाउन सक्छ।',
  'This merge request is {0}.': 'यो गाभ्ने अनुरोधको अवस्था {0} छ।',
  'Give entity_type, and entity_id as a whole number.': 'entity_type, र entity_id पूर्ण सङ्ख्यामा दिनुहोस्।',
}
