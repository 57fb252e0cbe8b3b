// Regulations in the shape that Twilio publishes, for its stand-in.

type Accepted = { type: string; name: string; fields: string[] };
export type RegulationText = {
  sid: string;
  iso_country: string;
  number_type: string;
  end_user_type: 'individual' | 'business';
  end_user: { requirement_name: string; fields: string[] };
  documents: { requirement_name: string; name: string; description: string; accepted: Accepted[] }[];
};

const regulationSid = (digit: string) => `RN${digit.repeat(32)}`;

const proof_of_address = {
  requirement_name: 'proof_of_address',
  name: 'Proof of address',
  description: 'A document that shows the name and the address.',
  accepted: [
    { type: 'utility_bill', name: 'Utility bill', fields: ['business_name', 'address_sids'] },
    { type: 'tax_notice', name: 'Tax notice', fields: ['address_sids', 'document_number'] },
  ],
};
const register_excerpt = {
  requirement_name: 'business_registration',
  name: 'Business registration',
  description: 'An excerpt of the company register.',
  accepted: [
    {
      type: 'commercial_registrar_excerpt',
      name: 'Excerpt of the commercial register',
      fields: ['business_name', 'document_number'],
    },
  ],
};

const business = (digit: string, iso_country: string, number_type: string): RegulationText => ({
  sid: regulationSid(digit),
  iso_country,
  number_type,
  end_user_type: 'business',
  end_user: {
    requirement_name: 'business_info',
    fields: ['business_name', 'business_registration_number', 'first_name', 'last_name', 'birth_date'],
  },
  documents: [register_excerpt, proof_of_address],
});

export const regulationTexts: RegulationText[] = [
  business('1', 'GB', 'local'),
  business('2', 'GB', 'national'),
  {
    sid: regulationSid('3'),
    iso_country: 'AU',
    number_type: 'local',
    end_user_type: 'individual',
    end_user: { requirement_name: 'individual_info', fields: ['first_name', 'last_name'] },
    documents: [
      {
        requirement_name: 'proof_of_address',
        name: 'Address',
        description: 'Must be within the locality or region covered by the prefix of the number.',
        accepted: [{ type: 'address', name: 'Address validation', fields: ['address_sids'] }],
      },
    ],
  },
];

const detailed = (fields: string[]) =>
  fields.map((machine_name) => ({
    machine_name,
    friendly_name: machine_name.replaceAll('_', ' '),
    description: `The ${machine_name.replaceAll('_', ' ')}`,
  }));

const url = 'https://numbers.twilio.com/v2/RegulatoryCompliance';

export const shownRegulation = (text: RegulationText) => ({
  sid: text.sid,
  friendly_name: `${text.iso_country}: ${text.number_type} - ${text.end_user_type}`,
  iso_country: text.iso_country,
  number_type: text.number_type,
  end_user_type: text.end_user_type,
  requirements: {
    end_user: [
      {
        name: text.end_user_type,
        type: text.end_user_type,
        requirement_name: text.end_user.requirement_name,
        url: `${url}/Regulations/${text.end_user_type}`,
        fields: text.end_user.fields,
        detailed_fields: detailed(text.end_user.fields),
      },
    ],
    supporting_document: [
      text.documents.map(({ requirement_name, name, description, accepted }) => ({
        name,
        type: 'document',
        requirement_name,
        description,
        accepted_documents: accepted.map(({ type, name: label, fields }) => ({
          name: label,
          type,
          url: `${url}/DocumentTypes/${type}`,
          fields,
          detailed_fields: detailed(fields),
        })),
      })),
    ],
  },
  url: `${url}/Regulations/${text.sid}`,
});
